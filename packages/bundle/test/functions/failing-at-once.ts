import { Public, SecureApp } from '@sallyport/secure';
import { failAtOnce, failLater } from './fails.js';

const app = new SecureApp();
app.get('/fails', () => failAtOnce(), Public());
app.get('/fails-later', () => failLater(), Public());

export const handler = app.handleLambda;
