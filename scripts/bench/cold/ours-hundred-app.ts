import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { findUser, registerAll, showResource } from '../application.js';

const app = createApp();
registerAll(
  100,
  ({ method, pattern, resource }) => app.handle(method, pattern, () => json(200, showResource(resource))),
  () => app.get('/users/{id}', (ctx) => json(200, findUser(ctx.param('id')))),
);

export const handler = app.handleLambda;
