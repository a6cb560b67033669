import { configure } from '@codegenie/serverless-express';
import { type Handlers, httpHandlers, type Invoke } from '../invoke.js';
import { createExpress } from './express-app.js';

export const handlers: Handlers = httpHandlers(
  (options) =>
    configure({
      app: createExpress(options),
      binarySettings: { contentTypes: ['application/octet-stream'] },
      respondWithErrors: false,
    }) as unknown as Invoke,
);
