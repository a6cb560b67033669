import { json, text } from '@sallyport/http';
import { mountHandler } from '@sallyport/http/web';
import { Authenticated, Public, SecureApp, type SecureOptions } from '@sallyport/secure';
import type { Bookmarks } from './bookmarks.js';
import { createHono } from './hono.js';

/** Step 2: read routes have moved, each with a separate scope. Hono still serves write routes. */
export function createService(options: SecureOptions, bookmarks: Bookmarks): SecureApp {
  const app = new SecureApp(options);
  const read = Authenticated('bookmarks:read');
  app.get('/health', () => json(200, { ok: true }), Public());
  app.get('/bookmarks', (ctx) => json(200, bookmarks.of(ctx.authIdentity)), read);
  app.get(
    '/bookmarks.txt',
    (ctx) => {
      const urls = bookmarks.of(ctx.authIdentity).map(({ url }) => url);
      return text(200, urls.join('\n'));
    },
    read,
  );
  app.get(
    '/bookmarks/{id}',
    (ctx) => {
      const found = bookmarks.find(ctx.param('id'), ctx.authIdentity);
      return found ? json(200, found) : json(404, { error: 'no such bookmark' });
    },
    read,
  );

  const hono = createHono(bookmarks);
  const fetch = (request: Request, env = {}) => hono.fetch(request, env);
  mountHandler(app, '/{rest+}', { fetch }, { posture: Authenticated(), methods: ['POST', 'DELETE'] });
  return app;
}
