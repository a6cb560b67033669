import { type Context, FrameworkError, type ResponseInput } from '@sallyport/core';
import { json } from '@sallyport/http';
import { powertoolsCompat } from '@sallyport/http/compat';
import { SecureApp } from '@sallyport/secure';
import { choosePosture } from '@sallyport/secure/migrate';
import { InvalidTodo, parseTodo } from './parse';

const todos = new Map([['1', { id: '1', title: 'write tests', done: false }]]);
const app = new SecureApp({ ...powertoolsCompat, cors: { allowedOrigins: ['https://todo.example'] }, onError: (ctx, err: any) => (err instanceof InvalidTodo ? (async (ctx: Context, error: any) => json(422, {
  statusCode: 422,
  message: error.message,
}))(ctx, err) : powertoolsCompat.onError(ctx, err)) });

app.get('/todos', async (ctx) => {
  const done = (ctx.query('done') ?? null);
  const found = [...todos.values()].filter((todo) => done === null || String(todo.done) === done);
  return json(200, { todos: found });
}, choosePosture('GET /todos'), { trailingSlash: true });

app.get('/todos/{id}', async (ctx) => {
  const todo = todos.get(ctx.param('id'));
  if (!todo) throw new FrameworkError('app.not_found', `no todo ${ctx.param('id')}`);
  return json(200, await todo);
}, choosePosture('GET /todos/{id}'), { trailingSlash: true });

app.post('/todos', async (ctx) => {
  const body = ctx.bodyJson<any>() as { title?: unknown };
  const todo = parseTodo(String(todos.size + 1), body);
  todos.set(todo.id, todo);
  return withHeaders(json(201, todo), { location: `/todos/${todo.id}` });
}, choosePosture('POST /todos'), { trailingSlash: true });

app.put('/todos/{id}/done', async (ctx) => {
  const todo = todos.get(ctx.param('id'));
  if (!todo) throw new FrameworkError('app.not_found', 'gone');
  todo.done = true;
  return json(200, { ...todo, by: (ctx.header('x-user') ?? null) });
}, choosePosture('PUT /todos/{id}/done'), { trailingSlash: true });

app.delete('/todos/{id}', async (ctx) => {
  todos.delete(ctx.param('id'));
  return new Response(null, { status: 204 });
}, choosePosture('DELETE /todos/{id}'), { trailingSlash: true });

app.get('/broken', async () => {
  throw new Error('the list is lost');
}, choosePosture('GET /broken'), { trailingSlash: true });

export const handler = app.handleLambda;

/** The answer with further headers. */
function withHeaders(answer: ResponseInput, headers: Record<string, string>): ResponseInput {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
