import { json } from '@sallyport/http';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { jwtAuthorizerPrincipal } from '@sallyport/secure/authorizers';
export const app = new SecureApp({ principalResolver: jwtAuthorizerPrincipal });
app.get('/health', () => json(200, { ok: true }), Public());
app.get('/notes/{id}', (ctx) => json(200, { id: ctx.param('id') }), Authenticated('notes:read'));
app.queue('orders', () => undefined);
export const handler = app.handleLambda;
