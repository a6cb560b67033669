import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { cors } from 'hono/cors';
import { HTTPException } from 'hono/http-exception';
import { logger } from 'hono/logger';
import { authors } from './authors';
import { books } from './store';

type Variables = { trace: string };

const app = new Hono<{ Variables: Variables }>();

app.use(logger(() => {}));
app.use('*', cors({ origin: ['https://shop.example'], credentials: true }));
app.use(async (c, next) => {
  c.set('trace', c.req.header('x-trace') ?? 'none');
  await next();
  c.header('X-Service', 'books');
});

app.get('/', (c) => c.text('books'));

app.get('/books', (c) => {
  const genre = c.req.query('genre');
  const tags = c.req.queries('tag') ?? [];
  const found = books.filter((book) => !genre || book.genre === genre);
  return c.json({ found, tags });
});

app.get('/books/:isbn', (c) => {
  const isbn = c.req.param('isbn');
  const book = books.find((one) => one.isbn === isbn);
  if (!book) throw new HTTPException(404, { message: `no book ${isbn}` });
  c.header('ETag', `"${isbn}"`);
  return c.json(book);
});

app.post('/books', async (c) => {
  const body = await c.req.json<{ isbn?: string; title?: string; genre?: string }>();
  if (!body.isbn || !body.title) {
    return c.json({ error: 'isbn and title are required' }, 422);
  }
  const book = { isbn: body.isbn, title: body.title, genre: body.genre ?? 'none' };
  books.push(book);
  return c.json(book, 201, { location: `/books/${book.isbn}` });
});

app.delete('/books/:isbn', (c) => {
  const { isbn } = c.req.param();
  const at = books.findIndex((book) => book.isbn === isbn);
  if (at < 0) return c.notFound();
  books.splice(at, 1);
  return c.body(null, 204);
});

app.get('/trace', (c) => c.text(String(c.get('trace'))));
app.get('/latest', (c) => c.redirect(`/books/${books.at(-1)?.isbn}`));
app.get('/page', (c) => c.html('<h1>Books</h1>'));
app.get('/boom', () => {
  throw new Error('the shelf fell');
});
app.get('/teapot', (c) => {
  c.status(418);
  return c.text('short and stout');
});

app.route('/authors', authors);

app.onError((err, c) => {
  if (err instanceof HTTPException) {
    return c.json({ error: err.message }, err.status);
  }
  return c.json({ error: 'unexpected' }, 500);
});

export const handler = handle(app);
