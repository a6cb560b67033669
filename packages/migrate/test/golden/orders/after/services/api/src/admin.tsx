import { app } from './app.js';
import { html, json } from '@sallyport/http';
import { FrameworkError as Failure } from '@sallyport/core';
import { choosePosture } from '@sallyport/secure/migrate';

declare global {
  namespace JSX {
    interface IntrinsicElements {
      p: { children?: unknown };
    }
  }
}
declare const React: { createElement(...args: unknown[]): string };

app.get('/admin', () => html(200, <p>orders</p>), choosePosture('GET /admin'));
app.get('/admin/{page}', (ctx) => {
  if (ctx.param('page') === '') throw new Failure('app.not_found', 'no such page');
  return json(200, {});
}, choosePosture('GET /admin/{page}'));
