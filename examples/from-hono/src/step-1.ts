import { mountHandler } from '@sallyport/http/web';
import { Authenticated, Public, SecureApp, type SecureOptions } from '@sallyport/secure';
import type { Bookmarks } from './bookmarks.js';
import { createHono } from './hono.js';

/** Step 1: the whole Hono application is mounted. One route is public because its mount has `Public()`. */
export function createService(options: SecureOptions, bookmarks: Bookmarks): SecureApp {
  const app = new SecureApp(options);
  const hono = createHono(bookmarks);
  const fetch = (request: Request, env = {}) => hono.fetch(request, env);
  mountHandler(app, '/health', { fetch }, { posture: Public(), methods: ['GET'] });
  mountHandler(app, '/{rest+}', { fetch }, { posture: Authenticated(), methods: ['GET', 'POST', 'DELETE'] });
  return app;
}
