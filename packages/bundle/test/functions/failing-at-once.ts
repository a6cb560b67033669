import { createDispatcher } from '@sallyport/dispatch';
import { createHttpRouter } from '@sallyport/http';
import { failAtOnce, failLater } from './fails.js';

const http = createHttpRouter();
http.get('/fails', () => failAtOnce());
http.get('/fails-later', () => failLater());

export const handler = createDispatcher(http).handleLambda;
