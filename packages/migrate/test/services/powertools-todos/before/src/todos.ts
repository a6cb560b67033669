import { NotFoundError, Router } from '@aws-lambda-powertools/event-handler/http';
import { cors } from '@aws-lambda-powertools/event-handler/http/middleware';
import type { Context } from 'aws-lambda';
import { InvalidTodo, parseTodo } from './parse';

const todos = new Map([['1', { id: '1', title: 'write tests', done: false }]]);
const app = new Router();

app.use(cors({ origin: 'https://todo.example' }));

app.errorHandler(InvalidTodo, async (error) => ({
  statusCode: 422,
  message: error.message,
}));

app.get('/todos', async ({ req }) => {
  const done = new URL(req.url).searchParams.get('done');
  const found = [...todos.values()].filter((todo) => done === null || String(todo.done) === done);
  return { todos: found };
});

app.get('/todos/:id', async ({ params: { id } }) => {
  const todo = todos.get(id);
  if (!todo) throw new NotFoundError(`no todo ${id}`);
  return todo;
});

app.post('/todos', async ({ req }) => {
  const body = (await req.json()) as { title?: unknown };
  const todo = parseTodo(String(todos.size + 1), body);
  todos.set(todo.id, todo);
  return { statusCode: 201, headers: { location: `/todos/${todo.id}` }, body: JSON.stringify(todo) };
});

app.put('/todos/:id/done', async ({ params, req }) => {
  const todo = todos.get(params.id);
  if (!todo) throw new NotFoundError('gone');
  todo.done = true;
  return { ...todo, by: req.headers.get('x-user') };
});

app.delete('/todos/:id', async (reqCtx) => {
  todos.delete(reqCtx.params.id);
  return new Response(null, { status: 204 });
});

app.get('/broken', async () => {
  throw new Error('the list is lost');
});

export const handler = async (event: unknown, context: Context) => app.resolve(event, context);
