import { createDispatcher } from '@sallyport/dispatch';
import { createHttpRouter, json } from '@sallyport/http';
import { findUser, registerAll, showResource } from '../application.js';

const http = createHttpRouter();
registerAll(
  100,
  ({ method, pattern, resource }) => http.handle(method, pattern, () => json(200, showResource(resource))),
  () => http.get('/users/{id}', (ctx) => json(200, findUser(ctx.param('id')))),
);

export const handler = createDispatcher(http).handleLambda;
