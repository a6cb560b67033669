import { app } from './app.js';
import { html } from '@sallyport/http';
import { json, AppError as Failure } from '@acme/lambda-kit';

declare global {
  namespace JSX {
    interface IntrinsicElements {
      p: { children?: unknown };
    }
  }
}
declare const React: { createElement(...args: unknown[]): string };

app.get('/admin', () => html(200, <p>orders</p>));
app.get('/admin/{page}', (ctx) => {
  if (ctx.param('page') === '') throw new Failure('app.not_found', 'no such page');
  return json(200, {});
});
