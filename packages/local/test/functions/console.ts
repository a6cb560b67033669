import { json } from '@sallyport/http';
import { createMcpServer, mountMcp } from '@sallyport/mcp';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';

/** The service that the judge of the console works with: every kind of trigger, and a fault that a save corrects. */
const IS_CORRECTED = false;

const app = new SecureApp({
  log: false,
  // The issuer's signature is not what is tested here.
  principalResolver: (ctx) => {
    const token = /^Bearer \S+$/.exec(ctx.header('authorization') ?? '');
    return token ? { kind: 'external', identity: 'ada', scopes: ['orders:write'] } : null;
  },
});

app.get(
  '/notes/{id}',
  (ctx) => {
    console.log('reading', ctx.param('id'));
    return json(200, { id: ctx.param('id') });
  },
  Public(),
);
app.post('/orders', () => json(201, { id: 'o-1' }), Authenticated('orders:write'));
app.get(
  '/boom',
  () => {
    throw new Error('the secret is hunter2');
  },
  Public(),
);
app.get(
  '/later',
  () => {
    setTimeout(() => {}, 60_000);
    return json(200, {});
  },
  Public(),
);
app.appSyncField('Query', 'note', () => json(200, { id: 'n-1' }), Public());
app.webSocket('$connect', () => json(200, {}), Public());
app.webSocket('$default', () => json(200, {}), Public());
app.queue('orders', (_ctx, message) => {
  if (message.body.includes('bad') && !IS_CORRECTED) throw new Error('a bad order');
});
app.queue('steps.fifo', () => {});
app.kinesis('clicks', () => {});
app.tableStream('notes', () => {});
app.topic('news', () => {});
app.eventBus({ source: 'shop' }, () => {});
app.eventBus({ scheduleName: 'nightly' }, () => {});

const server = createMcpServer({
  name: 'notes',
  version: '1.0.0',
  secret: { current: 'a secret of thirty-two bytes, at least' },
});
server.tool('time', { description: 'Says what it was told.', inputJsonSchema: { type: 'object' } }, () => 'noon');
server.tool(
  'greet',
  {
    description: 'Greets by the name that it asks for.',
    inputJsonSchema: { type: 'object', properties: { greeting: { type: 'string' } }, required: ['greeting'] },
    asks: ['elicitation'],
  },
  async ({ greeting }, ctx) => {
    const answer = await ctx.elicit({
      message: 'What is your name?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    });
    return `${greeting} ${answer.content?.name}`;
  },
);
server.resource('notes://all', { name: 'all notes', mimeType: 'text/plain' }, () => 'Milk');
server.prompt('summarise', { description: 'Asks for a summary.' }, () => 'Summarise the notes.');
mountMcp(app, server, { posture: Public() });

export const handler = app.handleLambda;
