import { created, json, noContent, text } from '@sallyport/http';
import { Authenticated, Public, SecureApp, type SecureOptions } from '@sallyport/secure';
import { type Bookmarks, urlOf } from './bookmarks.js';

/** Step 3: every route has moved, and Hono is no longer a dependency. */
export function createService(options: SecureOptions, bookmarks: Bookmarks): SecureApp {
  const app = new SecureApp(options);
  app.get('/health', () => json(200, { ok: true }), Public());
  registerReads(app, bookmarks);
  registerWrites(app, bookmarks);
  return app;
}

function registerReads(app: SecureApp, bookmarks: Bookmarks): void {
  const read = Authenticated('bookmarks:read');
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
}

function registerWrites(app: SecureApp, bookmarks: Bookmarks): void {
  const write = Authenticated('bookmarks:write');
  app.post(
    '/bookmarks',
    (ctx) => {
      const url = urlOf(ctx.bodyJson());
      if (url === undefined) return json(400, { error: 'url is missing' });
      const made = bookmarks.add(url, ctx.authIdentity);
      return created(made, `/bookmarks/${made.id}`);
    },
    write,
  );
  app.delete(
    '/bookmarks/{id}',
    (ctx) =>
      bookmarks.remove(ctx.param('id'), ctx.authIdentity) ? noContent() : json(404, { error: 'no such bookmark' }),
    write,
  );
}
