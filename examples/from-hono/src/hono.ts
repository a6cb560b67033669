import type { AuthInfo } from '@sallyport/http/web';
import { Hono } from 'hono';
import { type Bookmarks, urlOf } from './bookmarks.js';

/** The values that the mount passes to Hono: the caller, as verified by the gate. */
type Env = { Bindings: { readonly authInfo?: AuthInfo } };

/**
 * The application, unchanged except for one line: it reads the caller from the gate's result instead of a
 * header.
 */
export function createHono(bookmarks: Bookmarks): Hono<Env> {
  const hono = new Hono<Env>();
  const ownerOf = (env: Env['Bindings']) => String(env.authInfo?.extra.identity ?? '');

  hono.get('/health', (c) => c.json({ ok: true }));
  hono.get('/bookmarks', (c) => c.json(bookmarks.of(ownerOf(c.env))));
  hono.get('/bookmarks.txt', (c) => {
    const urls = bookmarks.of(ownerOf(c.env)).map(({ url }) => url);
    return c.text(urls.join('\n'));
  });
  hono.get('/bookmarks/:id', (c) => {
    const found = bookmarks.find(c.req.param('id'), ownerOf(c.env));
    return found ? c.json(found) : c.json({ error: 'no such bookmark' }, 404);
  });
  hono.post('/bookmarks', async (c) => {
    const url = urlOf(await c.req.json());
    if (url === undefined) return c.json({ error: 'url is missing' }, 400);
    const made = bookmarks.add(url, ownerOf(c.env));
    return c.json(made, 201, { location: `/bookmarks/${made.id}` });
  });
  hono.delete('/bookmarks/:id', (c) =>
    bookmarks.remove(c.req.param('id'), ownerOf(c.env))
      ? c.body(null, 204)
      : c.json({ error: 'no such bookmark' }, 404),
  );
  return hono;
}
