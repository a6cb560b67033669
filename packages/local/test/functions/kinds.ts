import { json } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';

/** A service in which every kind of event returns its own number, later events before earlier events. */
const app = new SecureApp({ log: false });

/** Delays up to 20 ms, so that many events are in one process at the same time. */
async function slowly<R>(n: number, result: R): Promise<R> {
  await new Promise((resolve) => setTimeout(resolve, 20 - (n % 20)));
  return result;
}

/** Reports its record as failed. */
async function fails(n: number): Promise<never> {
  await slowly(n, undefined);
  throw new Error(`record ${n}`);
}

app.get('/notes/{n}', (ctx) => slowly(Number(ctx.param('n')), json(200, { n: Number(ctx.param('n')) })), Public());
app.appSyncField(
  'Query',
  'note',
  (ctx) => {
    const n = Number(ctx.asAppSync()?.arguments.n);
    return slowly(n, json(200, { n }));
  },
  Public(),
);
app.webSocket(
  '$default',
  async (ctx) => {
    const { n } = JSON.parse(ctx.bodyText()) as { n: number };
    return slowly(n, json(200, { n }));
  },
  Public(),
);
app.queue('orders', (_ctx, { body }) => fails(Number(body)));
app.kinesis('clicks', (_ctx, { kinesis }) => fails(Number(kinesis.sequenceNumber)));
app.tableStream('notes', (_ctx, { dynamodb }) => fails(Number(dynamodb?.SequenceNumber)));
app.topic('news', (_ctx, { Sns }) => slowly(Number(Sns.Message), { n: Number(Sns.Message) }));
for (const selector of [{ source: 'shop' }, { scheduleName: 'nightly' }]) {
  app.eventBus(selector, (_ctx, { detail }) => {
    const { n } = detail as { n: number };
    return slowly(n, { n });
  });
}

export const handler = app.handleLambda;
