import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';

const app = createApp();
app.get('/health', () => json(200, { ok: true }));

export const handler = app.handleLambda;
