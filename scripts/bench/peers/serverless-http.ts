import serverless from 'serverless-http';
import { type Handlers, httpHandlers, type Invoke } from '../invoke.js';
import { createExpress } from './express-app.js';

export const handlers: Handlers = httpHandlers(
  (options) => serverless(createExpress(options), { binary: ['application/octet-stream'] }) as unknown as Invoke,
);
