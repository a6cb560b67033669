import { type Context, FrameworkError, type ResponseInput, isFrameworkError } from '@sallyport/core';
import { html, json, noContent, redirect, text } from '@sallyport/http';
import { honoCompat } from '@sallyport/http/compat';
import { SecureApp } from '@sallyport/secure';
import { choosePosture } from '@sallyport/secure/migrate';
import { authors } from './authors';
import { books } from './store';

type Variables = { trace: string };

const app = new SecureApp({ ...honoCompat, cors: { allowedOrigins: ['https://shop.example'], allowCredentials: true }, onError: (ctx, err: any) => (ctx.route === null ? honoCompat.onError(ctx, err) : ((ctx: Context, err: any) => {
  if (isFrameworkError(err)) {
    return json(err.status, { error: err.message });
  }
  return json(500, { error: 'unexpected' });
})(ctx, err)) });

app.use(async (ctx, next) => {
  ctx.set('trace', ctx.header('x-trace') ?? 'none');
  const answer = await next(ctx);
  answer.headers['x-service'] = ['books'];
  return answer;
});

app.get('/', () => text(200, 'books'), choosePosture('GET /'));

app.get('/books', (ctx) => {
  const genre = ctx.query('genre');
  const tags = ctx.queryAll('tag') ?? [];
  const found = books.filter((book) => !genre || book.genre === genre);
  return json(200, { found, tags });
}, choosePosture('GET /books'));

app.get('/books/{isbn}', (ctx) => {
  const headers: Record<string, string> = {};
  const isbn = ctx.param('isbn');
  const book = books.find((one) => one.isbn === isbn);
  if (!book) throw new FrameworkError('app.not_found', `no book ${isbn}`);
  headers.etag = `"${isbn}"`;
  return withHeaders(json(200, book), headers);
}, choosePosture('GET /books/{isbn}'));

app.post('/books', async (ctx) => {
  const body = ctx.bodyJson<{ isbn?: string; title?: string; genre?: string }>();
  if (!body.isbn || !body.title) {
    return json(422, { error: 'isbn and title are required' });
  }
  const book = { isbn: body.isbn, title: body.title, genre: body.genre ?? 'none' };
  books.push(book);
  return withHeaders(json(201, book), { location: `/books/${book.isbn}` });
}, choosePosture('POST /books'));

app.delete('/books/{isbn}', (ctx) => {
  const { isbn } = ctx.params;
  const at = books.findIndex((book) => book.isbn === isbn);
  if (at < 0) return text(404, '404 Not Found');
  books.splice(at, 1);
  return noContent();
}, choosePosture('DELETE /books/{isbn}'));

app.get('/trace', (ctx) => text(200, String(ctx.get('trace'))), choosePosture('GET /trace'));
app.get('/latest', () => redirect(`/books/${books.at(-1)?.isbn}`), choosePosture('GET /latest'));
app.get('/page', () => html(200, '<h1>Books</h1>'), choosePosture('GET /page'));
app.get('/boom', () => {
  throw new Error('the shelf fell');
}, choosePosture('GET /boom'));
app.get('/teapot', () => {
  let status = 200;
  status = 418;
  return text(status, 'short and stout');
}, choosePosture('GET /teapot'));

app.group('/authors', {}, authors);

export const handler = app.handleLambda;

/** The answer with further headers. */
function withHeaders(answer: ResponseInput, headers: Record<string, string>): ResponseInput {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
