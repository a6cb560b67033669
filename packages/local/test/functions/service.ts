import { json } from '@sallyport/http';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';

const notes = [
  { id: '1', title: 'Milk' },
  { id: '2', title: 'Bread' },
];

const app = new SecureApp({
  principalResolver: (ctx) => {
    const who = ctx.header('x-who') ?? ctx.query('who');
    return who === undefined ? null : { identity: who, scopes: ['notes:read'] };
  },
});

app.get('/health', () => json(200, { ok: true }), Public());
app.get('/notes', () => json(200, notes), Authenticated('notes:read'));
app.get('/admin', () => json(200, {}), Authenticated('notes:admin'));
app.get(
  '/stuck',
  async () => {
    setTimeout(() => {}, 60_000);
    return json(200, {});
  },
  Public(),
);

app.get(
  '/production-queue',
  async () => {
    const { SendMessageCommand, SQSClient } = await import('@aws-sdk/client-sqs');
    const QueueUrl = 'https://sqs.us-east-1.amazonaws.com/123456789012/orders';
    const client = new SQSClient({ maxAttempts: 1 });
    try {
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
      return json(200, 'sent');
    } catch (error) {
      return json(200, String(error));
    }
  },
  Public(),
);

app.appSyncField('Query', 'notes', () => json(200, notes), Public());
app.appSyncField(
  'Query',
  'fails',
  () => {
    throw new Error('secret text');
  },
  Public(),
);
app.appSyncField('Query', 'secret', () => json(200, 'x'), Authenticated('notes:admin'));
app.appSyncField('Note', 'upper', (ctx) => json(200, String(ctx.asAppSync()?.source.title).toUpperCase()), Public());
app.appSyncField('Query', 'selection', (ctx) => json(200, { paths: ctx.asAppSync()?.selectionSetList }), Public());

app.webSocket('$connect', (ctx) => json(ctx.query('who') === 'nobody' ? 403 : 200, {}), Public());
app.webSocket('$default', () => json(200, { route: 'default' }), Public());
app.webSocket('hello', () => json(200, { route: 'hello' }), Public());
app.queue('orders', () => {});

export const handler = app.handleLambda;
