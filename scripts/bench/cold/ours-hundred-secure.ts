import { json } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';
import { findUser, registerAll, showResource } from '../application.js';

const app = new SecureApp({});
registerAll(
  100,
  ({ method, pattern, resource }) => app.handle(method, pattern, () => json(200, showResource(resource)), Public()),
  () => app.get('/users/{id}', (ctx) => json(200, findUser(ctx.param('id'))), Public()),
);

export const handler = app.handleLambda;
