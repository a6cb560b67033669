import { createDispatcher } from '@sallyport/dispatch';
import { createHttpRouter } from '@sallyport/http';

const http = createHttpRouter();
http.get('/fails', async () => (await import('./fails.js')).failAtOnce());
http.get('/fails-later', async () => (await import('./fails.js')).failLater());

export const handler = createDispatcher(http).handleLambda;
