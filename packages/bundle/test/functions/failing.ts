import { Public, SecureApp } from '@sallyport/secure';

const app = new SecureApp();
app.get('/fails', async () => (await import('./fails.js')).failAtOnce(), Public());
app.get('/fails-later', async () => (await import('./fails.js')).failLater(), Public());

export const handler = app.handleLambda;
