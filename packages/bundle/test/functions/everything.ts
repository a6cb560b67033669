/** One registration of each kind. */
import { json, noContent } from '@sallyport/http';
import { createMcpServer, mountMcp } from '@sallyport/mcp';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { jwtAuthorizerPrincipal } from '@sallyport/secure/authorizers';
import { s3Trigger } from '@sallyport/triggers';

const app = new SecureApp({
  principalResolver: jwtAuthorizerPrincipal,
  surfaces: [s3Trigger().bucket('photos', async () => undefined)],
});
app.get('/health', () => json(200, { ok: true }), Public());
app.get('/notes/{id}', (ctx) => json(200, { id: ctx.param('id') }), Authenticated('notes:read'));
app.post('/notes', () => json(201, {}), Authenticated('notes:write'));
app.webSocket('$connect', () => noContent(), Public());
app.webSocket('say', () => noContent(), Public());
app.appSyncField('Query', 'note', () => json(200, { id: '1' }), Public());
app.queue('orders', () => {
  throw new Error('this queue always fails');
});
app.tableStream('notes', () => undefined);
app.kinesis('clicks', () => undefined);
app.topic('alerts', () => undefined);
app.eventBus({ source: 'shop', detailType: 'OrderPlaced' }, () => ({ placed: true }));

const server = createMcpServer({ name: 'notes', version: '1.0.0' });
server.tool('add', { description: 'Adds.' }, () => 'added');
mountMcp(app, server, { posture: Authenticated('mcp'), allowedOrigins: ['https://claude.ai'] });

export const handler = app.handleLambda;
