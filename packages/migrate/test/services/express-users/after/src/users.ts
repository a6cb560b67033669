import type { Context, Next, ResponseInput } from '@sallyport/core';
import { html, json, noContent, text } from '@sallyport/http';
import { type StatedPosture, defineRoutes } from '@sallyport/secure';
import { choosePosture } from '@sallyport/secure/migrate';
import { NotFound } from './errors';
import { findUser, store } from './store';

/** Everything about users. */

// Only the service itself may write.
function requireKey(ctx: Context, next: Next) {
  if (ctx.header('x-api-key') !== 'secret') {
    return json(401, { message: 'key missing' });
  }
  return next(ctx);
}

export const users = defineRoutes<StatedPosture>((users) => {
  users.get('/', (ctx) => {
  const headers: Record<string, string> = {};
  const role = ctx.query('role'), limit = ctx.query('limit') ?? '10';
  const found = [...store.values()].filter((user) => role === undefined || user.role === role);
  headers['x-total'] = String(found.length);
  return withHeaders(json(200, found.slice(0, Number(limit))), headers);
}, choosePosture('GET /users'), { trailingSlash: true });

  users.get('/{id}', async (ctx) => {
  try {
    const user = await findUser(ctx.param('id'));
    if (!user) throw new NotFound('no such user');
    return json(200, user);
  } catch (err) {
    throw err;
  }
}, choosePosture('GET /users/{id}'), { trailingSlash: true });

  users.post('/', async (ctx) => {
  const { name, role } = ctx.bodyJson<any>();
  if (typeof name !== 'string') {
    return json(400, { message: 'name is required' });
  }
  const user = { id: String(store.size + 1), name, role: role ?? 'reader' };
  store.set(user.id, user);
  return withHeaders(json(201, user), { location: `/users/${user.id}` });
}, choosePosture('POST /users'), { trailingSlash: true, use: [requireKey] });

  users.put('/{id}/role', (ctx) => {
  return findUser(ctx.param('id'))
    .then((user) => {
      if (!user) throw new NotFound('no such user');
      user.role = ctx.bodyJson<any>().role;
      return json(200, user);
    });
}, choosePosture('PUT /users/{id}/role'), { trailingSlash: true, use: [requireKey] });

  users.delete('/{id}', (ctx) => {
  if (!store.delete(ctx.param('id'))) {
    return text(404, 'Not Found');
  }
  return noContent();
}, choosePosture('DELETE /users/{id}'), { trailingSlash: true, use: [requireKey] });

  users.get('/{id}/avatar', (ctx) => {
  return withHeaders(html(200, `avatar of ${ctx.param('id')}`), { 'content-type': 'text/plain; charset=utf-8' });
}, choosePosture('GET /users/{id}/avatar'), { trailingSlash: true });
});

/** The answer with further headers. */
function withHeaders(answer: ResponseInput, headers: Record<string, string>): ResponseInput {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
