import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';

const app = createApp({ socket: { envelope: { route: 'op' } } });
app.webSocket('$connect', () => json(200, {}));
app.webSocket('$default', () => json(200, { route: 'default' }));
app.webSocket('hello', () => json(200, { route: 'hello' }));

export const handler = app.handleLambda;
