import { FaultyTable } from '@sallyport/dynamodb-local';
import { createJobLedger } from '@sallyport/jobs';
import { JOBS_TABLE_SCHEMA } from '@sallyport/jobs/schema';
import { createS3ObjectStore } from '@sallyport/objectstore';
import { createBucket, createS3TestClient, s3Endpoint } from '@sallyport/s3-server';
import { buildEventBusEvent } from '@sallyport/testkit';
import type { DurableEngine } from '@sallyport/testkit/durable';
import { continueAs } from '../src/continue-as.js';
import { type Durable, type DurablePart, durable } from '../src/index.js';
import { largeResults } from '../src/large-results.js';
import { resume } from '../src/resume.js';
import { startEngineApi } from './engine-api.js';
import { type Ran, type RunOptions, runExecution } from './run.js';

/** An event as Lambda delivers it: from JSON text. */
const bus = (detail: object, id = 'event-1') =>
  JSON.parse(JSON.stringify(buildEventBusEvent({ source: 'shop', detailType: 'Ordered', detail, id }))) as object;

let client: Awaited<ReturnType<typeof createS3TestClient>>;
let bucket = '';
let engine: DurableEngine;
let api: Awaited<ReturnType<typeof startEngineApi>>;
beforeAll(async () => {
  client = await createS3TestClient({ endpoint: await s3Endpoint() });
  bucket = await createBucket(client);
  api = await startEngineApi(() => engine);
});
afterAll(() => api.stop());

const store = () => createS3ObjectStore({ client });
const large = () => largeResults(store(), { bucket });

const run = (
  handler: (ctx: Durable, event: { detail: { page?: number } }) => unknown,
  use: readonly DurablePart[] = [large()],
  { event = bus({}), ...options }: RunOptions & { event?: object } = {},
): Promise<Ran> =>
  runExecution(
    (app) =>
      app.eventBus(
        { source: 'shop' },
        durable((ctx, given) => handler(ctx, given as never), { use }),
      ),
    event,
    {
      ...options,
      onStart: (started) => {
        engine = started;
      },
    },
  );

const BIG = 'é'.repeat(200_000);

test('a large result is read back at each replay, and the history has its digest only', async () => {
  const seen: number[] = [];
  const ran = await run(async (ctx) => {
    const rows = await ctx.step('rows', () => ({ text: BIG }));
    const small = await ctx.step('small', () => [1]);
    await ctx.wait('pause', { seconds: 5 });
    seen.push(rows.text.length, small.length);
    return rows.text === BIG;
  });
  expect([ran.result, seen]).toEqual(['true', [200_000, 1]]);
  const recorded = ran.operations.find(({ Name }) => Name === 'rows')?.StepDetails?.Result;
  expect(recorded).toMatch(/^\{"\$object":"[0-9a-f]{64}"\}$/);
});

test('a kill at each checkpoint keeps the result', async () => {
  const handler = async (ctx: Durable) => (await ctx.step('rows', () => BIG)).length;
  const { checkpoints } = await run(handler);
  for (let kill = 1; kill <= checkpoints; kill += 1) {
    const ran = await run(handler, [large()], {
      onCheckpoint: (checkpoint) => {
        if (checkpoint === kill) throw new Error('killed');
      },
    });
    expect([kill, ran.result]).toEqual([kill, '200000']);
  }
});

test.each<[string, (key: string) => Promise<unknown>]>([
  ['is missing', (key) => store().delete({ ref: { bucket, key } })],
  ['was changed', (key) => store().put({ ref: { bucket, key }, payload: Buffer.from('"forged"') })],
])('an object that %s ends the execution, and its content is not used', async (_name, damage) => {
  const text = `${_name}${BIG}`;
  const ran = await run(
    async (ctx) => {
      await ctx.step('rows', () => text);
      await ctx.wait('pause', { seconds: 5 });
    },
    [large()],
    {
      onSuspended: async (_engine, invocation) => {
        const recorded = engine.operations(engine.list()[0]?.arn ?? '').find(({ Name }) => Name === 'rows');
        const digest = recorded?.StepDetails?.Result?.slice(12, 76) ?? '';
        if (invocation === 1) await damage(`durable-results/${digest}`);
      },
    },
  );
  expect([ran.status, ran.error?.ErrorType]).toEqual(['FAILED', 'durable.result_lost']);
});

test('a small value with the form of a reference is returned unchanged', async () => {
  const forged = { $object: 'a'.repeat(64) };
  const ran = await run(async (ctx) => {
    const value = await ctx.step('forged', () => forged);
    await ctx.wait('pause', { seconds: 5 });
    return value;
  });
  expect(ran.result).toBe(JSON.stringify(forged));
});

test('a result above the limit of the option is rejected, and outside an execution it is returned', async () => {
  const ran = await run(
    (ctx) => ctx.step('rows', () => BIG).catch((error: { code: unknown }) => error.code),
    [largeResults(store(), { bucket, maxBytes: 300_000 })],
  );
  expect(ran.result).toBe('"durable.result_too_large"');
  const outside = durable((ctx: Durable) => ctx.step('rows', () => BIG), { use: [large()] });
  expect(await outside({} as Durable)).toBe(BIG);
});

test.each<[string, boolean]>([
  ['before', true],
  ['after', false],
])('with resume %s it, a new execution reuses a large result', async (_name, isFirst) => {
  const table = await FaultyTable.start(JOBS_TABLE_SCHEMA);
  try {
    const ledger = resume(createJobLedger({ client: table.direct, tableName: table.name }));
    const use = isFirst ? [ledger, large()] : [large(), ledger];
    let bodies = 0;
    const handler = async (ctx: Durable) => {
      const rows = await ctx.step('rows', () => {
        bodies += 1;
        return BIG;
      });
      await ctx.step('fail', () => {
        if (bodies === 1 && ctx.execution?.name === 'run-1') throw new Error('broken');
      });
      return rows.length;
    };
    const event = bus({}, `event-${_name}`);
    const first = await run(handler, use, { event });
    const second = await run(handler, use, { event, name: 'run-2' });
    expect([first.status, second.result, bodies]).toEqual(['FAILED', '200000', 1]);
  } finally {
    await table.stop();
  }
});

describe('continueAs', () => {
  /** Pages 1 to 3, one in each execution. */
  const pages =
    (seen: number[]) =>
    async (ctx: Durable, { detail: { page = 0 } }: { detail: { page?: number } }) => {
      await ctx.step('page', () => void seen.push(page));
      if (page < 3) await continueAs(ctx, bus({ page: page + 1 }, `event-${page + 1}`), { client: api.client });
    };
  const settled = async () => {
    await engine.settle();
    return engine.list().map(({ status }) => status);
  };

  test('each execution starts the next one once', async () => {
    const seen: number[] = [];
    await run(pages(seen), [], { event: bus({ page: 1 }) });
    expect([await settled(), seen]).toEqual([
      ['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED'],
      [1, 2, 3],
    ]);
  });

  test('a kill at each checkpoint, and a lost answer of the start, start it once', async () => {
    const { checkpoints } = await run(pages([]), [], { event: bus({ page: 2 }) });
    for (let kill = 1; kill <= checkpoints; kill += 1) {
      api.service.inject({ kind: 'lost-answer' }, { operation: 'Invoke', times: kill % 2 });
      await run(pages([]), [], {
        event: bus({ page: 2 }),
        onCheckpoint: (checkpoint) => {
          if (checkpoint === kill) throw new Error('killed');
        },
      });
      await engine.settle();
      engine.skip();
      expect([kill, (await settled()).length]).toEqual([kill, 2]);
    }
  });

  test('outside an execution it rejects before anything is sent', async () => {
    const handle = durable((ctx: Durable) => continueAs(ctx, {}, { client: api.client }));
    await expect(handle({} as Durable)).rejects.toMatchObject({ code: 'durable.not_durable' });
  });
});

test.each<[string, () => unknown, string]>([
  ['no store', () => largeResults(undefined as never, { bucket: 'a' }), 'store'],
  ['no bucket', () => largeResults(store(), {} as never), 'bucket'],
  ['a limit below the own limit', () => largeResults(store(), { bucket: 'a', maxBytes: 1 }), 'maxBytes'],
])('%s is rejected when the handler is defined', (_name, define, named) => {
  expect(define).toThrow(named);
});
