import { bind, json } from '@sallyport/http';
import { createMcpServer, dynamoMcpStore, mountMcp } from '@sallyport/mcp';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { jwtPrincipalResolver } from '@sallyport/secure/jwt';
import { alarmAction, iotRule, pipe, stateTask } from '@sallyport/triggers';

/** The service for the tests of the console: every kind of trigger, and a fault that a save corrects. */
const IS_CORRECTED = false;

/** Triggers whose events a producer, a device or a client wrote, and a trigger with a row. */
const surfaces = [
  iotRule({ key: 'id' }).rule('cellar', () => {}),
  pipe().enrich('orders', () => 'enriched'),
  stateTask().task('charge', () => 'charged'),
  alarmAction(() => {}),
];

const { ISSUER = '', JWKS_URI = '', AUDIENCE = '' } = process.env;
const app = new SecureApp({
  principalResolver: jwtPrincipalResolver({ issuer: ISSUER, jwksUri: JWKS_URI, audience: [AUDIENCE] }),
  surfaces,
});

app.get(
  '/notes/{id}',
  (ctx) => {
    console.log('reading', ctx.param('id'));
    return json(200, { id: ctx.param('id') });
  },
  Public(),
);
app.post('/orders', (ctx) => json(201, { by: ctx.authIdentity }), Authenticated('orders:write'));
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
    console.log('leaves\n\ta timer');
    setTimeout(() => {}, 60_000);
    return json(200, {});
  },
  Public(),
);
app.appSyncField('Query', 'note', () => json(200, { id: 'n-1' }), Public());
app.webSocket('$connect', () => json(200, {}), Public());
app.webSocket('$default', () => json(200, {}), Public());
app.webSocket(
  'order',
  bind({ body: { id: { type: 'string' }, count: { type: 'int' } } }, (_ctx, { body }) => body),
  Public(),
);
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
  store: dynamoMcpStore(),
});
server.tool('whoami', { description: 'Says who calls.', inputJsonSchema: { type: 'object' } }, (_input, ctx) =>
  String(ctx.principal?.identity ?? 'nobody'),
);
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
mountMcp(app, server, { path: '/closed/mcp', posture: Authenticated('mcp') });

export const handler = app.handleLambda;
