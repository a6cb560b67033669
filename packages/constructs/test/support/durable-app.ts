/** An application with durable handlers and a plain handler: imported by a test, and loaded from its file in another process. */
import { durable } from '@sallyport/durable';
import { json } from '@sallyport/http';
import { Authenticated, SecureApp } from '@sallyport/secure';

export const app = new SecureApp({ principalResolver: () => null });
app.post(
  '/exports',
  durable(() => json(200, {})),
  Authenticated(),
);
app.get('/exports', () => json(200, {}), Authenticated());
app.queue(
  'orders',
  durable(async () => {}),
);
