import { json } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';

const app = new SecureApp({});
app.get('/health', () => json(200, { ok: true }), Public());

export const handler = app.handleLambda;
