import { isFrameworkError } from '@sallyport/core';
import { json, redirect } from '@sallyport/http';
import { expressCompat } from '@sallyport/http/compat';
import { SecureApp } from '@sallyport/secure';
import { choosePosture } from '@sallyport/secure/migrate';
import { errorHandler } from './errors';
import { requestTimer } from './timer';
import { users } from './users';

const app = new SecureApp({ ...expressCompat, cors: { allowedOrigins: ['https://app.example'] }, onError: (ctx, err: any) => (isFrameworkError(err) ? expressCompat.onError(ctx, err) : errorHandler(ctx, err)) });
app.use(requestTimer);

app.get('/', () => {
  return json(200, { service: 'users' });
}, choosePosture('GET /'), { trailingSlash: true });
app.get('/health', () => json(200, { ok: true }), choosePosture('GET /health'), { trailingSlash: true });
app.get('/old-users', () => {
  return redirect('/users', 301);
}, choosePosture('GET /old-users'), { trailingSlash: true });
app.group('/users', {}, users);

export const handler = app.handleLambda;
