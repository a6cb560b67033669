import { atEachCall, FaultyTable, OUTAGES } from '@sallyport/dynamodb-local';
import { json } from '@sallyport/http';
import { createJobLedger, type JobLedger } from '@sallyport/jobs';
import { JOBS_TABLE_SCHEMA } from '@sallyport/jobs/schema';
import { recordJson } from '@sallyport/streams';
import { buildAPIGatewayV2Request, buildQueueEvent } from '@sallyport/testkit';
import { z } from 'zod';
import { compensate, type Durable, durable } from '../src/index.js';
import { resume } from '../src/resume.js';
import { type Ran, type RunOptions, runExecution } from './run.js';

let table: FaultyTable;
beforeAll(async () => {
  table = await FaultyTable.start(JOBS_TABLE_SCHEMA);
});
afterAll(() => table.stop());

let messages = 0;
/** An event whose message no other test has. */
function nextEvent(): object {
  messages += 1;
  return buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:orders', [
    { body: '{"id":7}', messageId: `message-${messages}` },
  ]);
}
const ledgerOf = () => createJobLedger({ client: table.direct, tableName: table.name });

interface Order {
  readonly id: number;
}

/** The order of the design: a charge, a pause, and a mail that fails `failures` times. */
class Shop {
  readonly log: string[] = [];
  failures: number;

  constructor(failures: number) {
    this.failures = failures;
  }

  readonly handle = async (ctx: Durable, message: never) => {
    const order = recordJson<Order>(message);
    const charge = await ctx.step('charge', (step) => {
      this.log.push('charge');
      return { order: order.id, key: step.idempotencyKey };
    });
    await ctx.wait('cool off', { minutes: 10 });
    await ctx.step('mail', () => {
      this.failures -= 1;
      if (this.failures >= 0) throw new Error('no mail today');
      this.log.push(`mail ${charge.order} ${charge.key.length}`);
    });
  };
}

/** Delivers an event as a separate execution, and returns the number of reported records. */
async function deliver(
  event: object,
  name: string,
  handle: (ctx: Durable, message: never) => unknown,
  ledger: JobLedger,
  options: RunOptions = {},
): Promise<{ readonly reported: number; readonly ran: Ran }> {
  const ran = await runExecution(
    (app) =>
      app.queue(
        'orders',
        durable((ctx, message) => handle(ctx, message as never), { use: [resume(ledger)] }),
      ),
    event,
    { ...options, name },
  );
  if (ran.status !== 'SUCCEEDED') throw new Error(`${ran.status} ${ran.error?.ErrorMessage}`);
  return { ran, reported: (JSON.parse(ran.result ?? '') as { batchItemFailures: [] }).batchItemFailures.length };
}

test('a record that is delivered again after a failure charges once: its new execution reuses the charge', async () => {
  const shop = new Shop(2);
  const event = nextEvent();
  const reported: number[] = [];
  for (const name of ['first', 'second', 'third']) {
    reported.push((await deliver(event, name, shop.handle, ledgerOf())).reported);
  }
  expect([reported, shop.log]).toEqual([
    [1, 1, 0],
    ['charge', 'mail 7 64'],
  ]);
});

test('a step whose result another version has recorded is not run again, and one warning names both versions', async () => {
  const shop = new Shop(2);
  const event = nextEvent();
  const warnings = async (name: string, version: string) =>
    (await deliver(event, name, shop.handle, ledgerOf(), { version })).ran.lines.filter(
      ({ level }) => level === 'warn',
    );
  expect(await warnings('of-7', '7')).toEqual([]);
  expect(await warnings('of-7-again', '7')).toEqual([]);
  expect(await warnings('of-8', '8')).toEqual([
    expect.objectContaining({
      step: 'charge',
      recorded_by: expect.stringContaining('/of-7/'),
      recorded_version: '7',
      version: '8',
    }),
  ]);
  expect(shop.log).toEqual(['charge', 'mail 7 64']);
});

const LOST = OUTAGES.filter(({ lost }) => lost > 0);

test.each(LOST)('$name at each request of the ledger: no record is lost, and none charges twice', async (outage) => {
  const requests = await atEachCall(table, outage, {
    prepare: async ({ client, clock }) => ({
      shop: new Shop(1),
      event: nextEvent(),
      ledger: createJobLedger({ client, tableName: table.name, clock }),
    }),
    act: ({ shop, event, ledger }) => deliver(event, 'first', shop.handle, ledger),
    check: async ({ shop, event, ledger }, { error, clock }) => {
      expect(error).toBeUndefined();
      for (let name = 2; name < 5 && !shop.log.includes('mail 7 64'); name += 1) {
        // A key whose owner did not hear that it has it is free after the time of the invocation.
        await clock.tick(61_000);
        await deliver(event, `delivery-${name}`, shop.handle, ledger);
      }
      expect(shop.log).toEqual(['charge', 'mail 7 64']);
    },
  });
  expect(requests).toEqual([
    'GetItem',
    'PutItem',
    'UpdateItem',
    'GetItem',
    'PutItem',
    expect.stringMatching(/^(?:Delete|Update|Put)Item$/),
  ]);
});

test('a kill at each checkpoint of the first execution charges at most twice', async () => {
  const { ran } = await deliver(nextEvent(), 'plain', new Shop(1).handle, ledgerOf());
  for (let kill = 1; kill <= ran.checkpoints; kill += 1) {
    const shop = new Shop(1);
    const event = nextEvent();
    await deliver(event, 'first', shop.handle, ledgerOf(), {
      onCheckpoint: (checkpoint) => {
        if (checkpoint === kill) throw new Error('killed');
      },
    });
    await deliver(event, 'second', shop.handle, ledgerOf());
    expect(shop.log.filter((entry) => entry === 'charge').length).toBeLessThanOrEqual(2);
    expect(shop.log.at(-1)).toBe('mail 7 64');
  }
});

test('a step that was undone runs again in the next execution, and is undone again', async () => {
  const log: string[] = [];
  let failures = 2;
  const handle = async (ctx: Durable) => {
    await ctx.step('reserve', () => void log.push('reserve'));
    compensate(ctx, 'reserve', () => void log.push('release'));
    await ctx.step('charge', () => void log.push('charge'));
    await ctx.step('mail', () => {
      failures -= 1;
      if (failures >= 0) throw new Error('no mail today');
    });
  };
  const event = nextEvent();
  for (const name of ['first', 'second', 'third']) await deliver(event, name, handle, ledgerOf());
  expect(log).toEqual(['reserve', 'charge', 'release', 'reserve', 'release', 'reserve']);
});

test('items of map, values and steps without a result are taken over, and a callback has a new id', async () => {
  const ids: string[] = [];
  let failures = 1;
  const bodies: unknown[] = [];
  const handle = async (ctx: Durable) => {
    const values = await ctx.map('items', [1, 2], (item, inner) =>
      inner.step('double', () => {
        bodies.push(item);
        return { twice: item * 2 };
      }),
    );
    const nothing = await ctx.step('nothing', () => void bodies.push('nothing'));
    const answer = await ctx.callback('answer', z.string(), {
      submit: (id) => void ids.push(id),
      timeout: { minutes: 5 },
    });
    await ctx.step('mail', () => {
      failures -= 1;
      if (failures >= 0) throw new Error('no mail today');
      bodies.push([values, nothing === undefined, answer]);
    });
  };
  const event = nextEvent();
  for (const name of ['first', 'second']) {
    await deliver(event, name, handle, ledgerOf(), {
      onSuspended: (engine) => engine.succeedCallback(ids.at(-1) ?? '', '"yes"'),
    });
  }
  // The items run side by side, in no order.
  expect(bodies.splice(0, 2).sort()).toEqual([1, 2]);
  expect(bodies).toEqual(['nothing', [[{ twice: 2 }, { twice: 4 }], true, 'yes']]);
  expect(new Set(ids).size).toBe(2);
});

test.each<[string, 'atLeastOnce' | 'atMostOnce', string]>([
  ['in progress, so that the event comes again', 'atLeastOnce', 'durable.step_in_progress'],
  ['interrupted if it must not run twice', 'atMostOnce', 'durable.step_interrupted'],
])('a step that another execution has begun is %s', async (_name, effect, code) => {
  const codes: unknown[] = [];
  const event = nextEvent();
  const ledger = ledgerOf();
  const inner = async (ctx: Durable) => {
    await ctx
      .step('charge', () => void codes.push('ran twice'), { effect })
      .catch((error: { code: unknown }) => codes.push(error.code));
  };
  const outer = async (ctx: Durable) => {
    await ctx.step('charge', async () => void (await deliver(event, 'second', inner, ledger)), { effect });
  };
  await deliver(event, 'first', outer, ledger);
  expect(codes).toEqual([code]);
});

test('an event without a natural key writes nothing, and outside an execution the ledger is not called', async () => {
  table.proxy.clear();
  const ledger = createJobLedger({ client: table.client, tableName: table.name });
  const handle = durable((ctx: Durable) => ctx.step('a', () => 1), { use: [resume(ledger)] });
  const ran = await runExecution(
    (app) => app.get('/orders', async (ctx) => json(200, { value: await handle(ctx as never) })),
    buildAPIGatewayV2Request('GET', '/orders'),
  );
  expect([ran.status, await handle({} as Durable), table.proxy.operations]).toEqual(['SUCCEEDED', 1, []]);
});

test.each<[string, unknown, object, string]>([
  ['no ledger', undefined, {}, 'ledger'],
  ['an object without the methods', {}, {}, 'ledger'],
  ['a time of 0', 'a ledger', { keep: { days: 0 } }, 'keep'],
])('%s is rejected when the handler is defined', (_name, ledger, options, named) => {
  expect(() => resume(ledger === 'a ledger' ? ledgerOf() : (ledger as never), options)).toThrow(named);
});
