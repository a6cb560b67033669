import { readFileSync } from 'node:fs';
import { type DurableContext, withDurableExecution } from '@aws/durable-execution-sdk-js';
import * as powertools from '@aws-lambda-powertools/batch';
import { durable, durableExecutions } from '@sallyport/durable';
import { type BuildDurable, runDurable } from '@sallyport/durable/testing';
import { buildQueueEvent, type TestEnv } from '@sallyport/testkit';

interface Batch {
  readonly Records: readonly { readonly messageId: string }[];
}

const QUEUE = 'arn:aws:sqs:eu-west-1:123456789012:orders';
const ids = Array.from({ length: 10 }, (_, n) => `m-${n}`);
const batchOf = (records: readonly string[]) =>
  buildQueueEvent(
    QUEUE,
    records.map((messageId) => ({ messageId, body: '{}' })),
  );

/** The records that were charged, in order. */
let charges: string[] = [];
const charge = (id: string) => void charges.push(id);

/** The step `mail` of one record fails in its first delivery. */
const mail = (id: string, delivery: number) => {
  if (id === 'm-3' && delivery === 1) throw new Error('no address');
  return 'sent';
};
const ONCE = { retryStrategy: () => ({ shouldRetry: false }) };

/** The two steps of a record with the SDK, without its six attempts. */
async function record(ctx: DurableContext, id: string, delivery: number): Promise<void> {
  await ctx.step(`charge ${id}`, async () => charge(id), ONCE);
  await ctx.step(`mail ${id}`, async () => mail(id, delivery), ONCE);
}

const WAYS: Readonly<Record<string, (delivery: number) => BuildDurable>> = {
  'steps of the SDK for each record': (delivery) => () =>
    withDurableExecution(async (event: Batch, ctx) => {
      for (const { messageId } of event.Records) await record(ctx, messageId, delivery);
    }),
  'Powertools in an execution of the SDK': (delivery) => () =>
    withDurableExecution(async (event: Batch, ctx) => {
      const processor = new powertools.BatchProcessor(powertools.EventType.SQS);
      const handle = ({ messageId = '' }: { messageId?: string }) => record(ctx, messageId, delivery);
      // Side by side, the positions of steps depend on the order in which steps end.
      return powertools.processPartialResponse(event as never, handle as never, processor, {
        processInParallel: false,
      });
    }),
  'this package': (delivery) => (env: TestEnv) => {
    const app = env.app({ surfaces: [durableExecutions()] });
    app.queue(
      'orders',
      durable(async (ctx, { messageId }) => {
        await ctx.step('charge', () => charge(messageId));
        await ctx.step('mail', () => mail(messageId, delivery));
      }),
    );
    return app;
  },
};

/** The records that SQS delivers again after this run. */
function redelivered({ status, result }: Awaited<ReturnType<typeof runDurable>>, records: readonly string[]): string[] {
  if (status !== 'SUCCEEDED') return [...records];
  const { batchItemFailures = [] } = (result ?? {}) as { batchItemFailures?: { itemIdentifier: string }[] };
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

async function measure(way: (delivery: number) => BuildDurable) {
  charges = [];
  const first = await runDurable(way(1), batchOf(ids));
  const again = redelivered(first, ids);
  const second = await runDurable(way(2), batchOf(again));
  return {
    redelivered: again.length,
    bodies: first.bodies.length + second.bodies.length,
    chargedTwice: charges.length - new Set(charges).size,
    checkpoints: first.checkpoints + second.checkpoints,
    left: redelivered(second, again),
  };
}

test('the table of the page has what each way does with the same batch', async () => {
  const page = readFileSync(new URL('../../../docs/durable.md', import.meta.url), 'utf8');
  for (const [way, build] of Object.entries(WAYS)) {
    const { redelivered: records, bodies, chargedTwice, checkpoints, left } = await measure(build);
    expect(left).toEqual([]);
    expect(page).toContain(`| ${way} | ${records} | ${bodies} | ${chargedTwice} | ${checkpoints} |`);
  }
});
