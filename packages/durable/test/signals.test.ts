import type { Context } from '@sallyport/core';
import { FaultyTable } from '@sallyport/dynamodb-local';
import { noContent } from '@sallyport/http';
import { createJobLedger, type JobLedger } from '@sallyport/jobs';
import { JOBS_TABLE_SCHEMA } from '@sallyport/jobs/schema';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { buildAPIGatewayV2Request, buildEventBusEvent } from '@sallyport/testkit';
import type { DurableEngine } from '@sallyport/testkit/durable';
import { z } from 'zod';
import { type Durable, durable } from '../src/index.js';
import { writeOnce } from '../src/internal/write-once.js';
import { messageKey } from '../src/signals/internal/mailbox.js';
import { queryExecution, receive, type SignalOptions, signalExecution, status } from '../src/signals.js';
import { startEngineApi } from './engine-api.js';
import { type RunOptions, runExecution, runHandler } from './run.js';

const EVENT = buildEventBusEvent({ source: 'shop', detailType: 'Ordered', detail: {} });
const Decision = z.object({ approved: z.boolean() });
const APPROVED = { approved: true };

let table: FaultyTable;
let ledger: JobLedger;
let engine: DurableEngine;
let api: Awaited<ReturnType<typeof startEngineApi>>;
let ada: Context;
beforeAll(async () => {
  table = await FaultyTable.start(JOBS_TABLE_SCHEMA);
  ledger = createJobLedger({ client: table.direct, tableName: table.name });
  api = await startEngineApi(() => engine);
  ada = await contextOf('ada', 'acme');
});
afterAll(async () => {
  await api.stop();
  await table.stop();
});

/** The context of a request of a caller that the gate has accepted. */
async function contextOf(identity: string, tenantId: string): Promise<Context> {
  const seen: Context[] = [];
  const app = new SecureApp({ log: false, principalResolver: () => ({ identity, scopes: [], tenantId }) });
  const see = (ctx: Context) => {
    seen.push(ctx);
    return noContent();
  };
  app.post('/messages', see, identity === '' ? Public() : Authenticated());
  await app.handleLambda(buildAPIGatewayV2Request('POST', '/messages', { headers: { authorization: 'Bearer local' } }));
  return seen[0] as Context;
}

let orders = 0;
/** A business key that no other test has. */
const nextKey = () => {
  orders += 1;
  return `order-${orders}`;
};
const send = (key: string, value: unknown = APPROVED, options: Partial<SignalOptions> = {}) =>
  signalExecution(key, 'approval', value, { ledger, client: api.client, sender: ada, ...options });
const settled = (call: Promise<{ outcome?: unknown }>) =>
  call.then(
    ({ outcome }) => outcome,
    (error: { code?: unknown }) => error.code,
  );

const run = (handler: (ctx: Durable) => unknown, options: RunOptions = {}) =>
  runHandler(handler, EVENT, {
    ...options,
    onStart: (started) => {
      engine = started;
    },
  });

const waits = (key: string) => (ctx: Durable) =>
  receive(ctx, 'approval', Decision, {
    key,
    ledger,
    client: api.client,
    tenantId: 'acme',
    timeout: { days: 2 },
  });
const RECEIVED = '{"value":{"approved":true},"sender":"ada","by":"caller"}';

test('a message reaches the execution that waits, and the same message twice is received once', async () => {
  const key = nextKey();
  const outcomes: unknown[] = [];
  const ran = await run(waits(key), {
    onSuspended: async (_engine, invocation) => {
      if (invocation > 1) return;
      outcomes.push(await settled(send(key)));
    },
  });
  expect([ran.status, ran.result, outcomes]).toEqual(['SUCCEEDED', RECEIVED, ['delivered']]);
});

test('a message that is sent before its receiver waits is stored, and received immediately', async () => {
  const key = nextKey();
  const outcomes = [await settled(send(key)), await settled(send(key)), await settled(send(key, { approved: false }))];
  const ran = await run(waits(key));
  expect([ran.result, outcomes]).toEqual([RECEIVED, ['stored', 'existing', 'durable.execution_conflict']]);
  expect(await settled(send(key, APPROVED, { sender: await contextOf('mallory', 'acme') }))).toBe(
    'durable.execution_conflict',
  );
});

test('a message of another tenant is not received', async () => {
  const key = nextKey();
  const evil = await contextOf('ada', 'evil');
  const outcomes: unknown[] = [];
  const ran = await run((ctx) => waits(key)(ctx).catch((error: { code: unknown }) => error.code), {
    onSuspended: async (_engine, invocation) =>
      void (invocation === 1 && outcomes.push(await settled(send(key, APPROVED, { sender: evil })))),
  });
  expect([ran.result, outcomes]).toEqual(['"durable.callback_timeout"', ['stored']]);
});

test('a message to an execution that has ended, or is gone, is rejected', async () => {
  const key = nextKey();
  await run((ctx) => waits(key)(ctx).catch(() => 'timed out'));
  const afterEnd = await settled(send(key));
  // A new service has no execution.
  const other = nextKey();
  await run((ctx) => waits(other)(ctx).catch(() => 'timed out'));
  await run(async () => {}, { name: 'run-2' });
  expect([afterEnd, await settled(send(other))]).toEqual(['durable.callback_gone', 'durable.callback_gone']);
});

test('an execution that replaces a failed one receives the same message', async () => {
  const key = nextKey();
  const fails = async (ctx: Durable) => {
    await waits(key)(ctx);
    throw new Error('broken');
  };
  const sends = async (_engine: DurableEngine, invocation: number) =>
    void (invocation === 1 && (await settled(send(key))));
  const first = await run(fails, { onSuspended: sends });
  const second = await run(waits(key), { name: 'run-2' });
  expect([first.error?.ErrorMessage, second.result]).toEqual(['broken', RECEIVED]);
});

test.each<[string, unknown, string]>([
  ['of 256 KiB and one byte', 'a'.repeat(262_143), 'durable.too_large'],
  ['that JSON cannot write', new Map(), 'durable.invalid_input'],
  ['that is undefined', undefined, 'durable.invalid_input'],
])('a message %s is rejected before anything is sent', async (_name, value, code) => {
  const outcome = await signalExecution(nextKey(), 'approval', value, { ledger, sender: ada }).catch(
    (error: { code: unknown }) => error.code,
  );
  expect(outcome).toBe(code);
});

test.each<[string, string, Partial<SignalOptions>]>([
  ['an empty key', '', {}],
  ['no sender', 'order', { sender: undefined as never }],
  ['a service without a name', 'order', { sender: { service: '' } }],
  ['a tenant that is not text', 'order', { sender: { service: 'billing', tenantId: 7 as never } }],
])('%s is rejected before anything is sent', async (_name, key, options) => {
  expect(await settled(send(key, APPROVED, options))).toBe('durable.invalid_input');
});

describe('forged and foreign messages', () => {
  const FORGED = { authIdentity: 'ada', tenantId: 'acme' };

  test.each<[string, () => unknown]>([
    ['an identity as text', () => 'ada'],
    ['members that a request has sent', () => FORGED],
    [
      'members with the mark of a context',
      () => JSON.parse(`{"sallyport.RequestContext":true,"state":${JSON.stringify(FORGED)}}`),
    ],
    ['a copy of a context', () => ({ ...ada })],
    ['an object that inherits from a context', () => Object.create(ada)],
  ])('%s is rejected as a sender, and nothing is stored', async (_name, sender) => {
    const key = nextKey();
    expect(await settled(send(key, APPROVED, { sender: sender() as never }))).toBe('durable.invalid_input');
    expect(await settled(send(key))).toBe('stored');
  });

  test('a request without a caller sends nothing', async () => {
    expect(await settled(send(nextKey(), APPROVED, { sender: await contextOf('', '') }))).toBe('durable.invalid_input');
  });

  test('a service with the name of a caller is another sender', async () => {
    const key = nextKey();
    await send(key, APPROVED, { sender: { service: 'ada', tenantId: 'acme' } });
    expect(await settled(send(key))).toBe('durable.execution_conflict');
    expect((await run(waits(key))).result).toBe('{"value":{"approved":true},"sender":"ada","by":"service"}');
  });

  test('tenant, key and name are separate: no text of one moves a message to the address of another', async () => {
    const key = nextKey();
    for (const tenantId of [`acme","${key}`, `acme${key}`, 'ACME', 'acme ', '']) {
      await send(key, APPROVED, { sender: { service: 'billing', tenantId } });
      await signalExecution(`${key}","approval`, 'x', APPROVED, { ledger, client: api.client, sender: ada }).catch(
        () => {},
      );
    }
    const ran = await run((ctx) => waits(key)(ctx).catch((error: { code: unknown }) => error.code));
    expect(ran.result).toBe('"durable.callback_timeout"');
  });

  test('an execution of a caller receives no messages of another tenant, even if its option names that tenant', async () => {
    const key = nextKey();
    await send(key);
    const seen: unknown[] = [];
    const ask = async (ctx: Durable) => {
      seen.push(await waits(key)(ctx).catch((error: { code: unknown }) => error.code));
      return noContent();
    };
    await runExecution<SecureApp>(
      (app) =>
        app.post(
          '/orders',
          durable((ctx) => ask(ctx)),
          Authenticated(),
        ),
      buildAPIGatewayV2Request('POST', '/orders', { headers: { authorization: 'Bearer local' } }),
      {
        create: (given) =>
          new SecureApp({
            ...given,
            principalResolver: () => ({ identity: 'eve', scopes: [], tenantId: 'evil' }),
          } as never),
      },
    );
    expect(seen).toEqual(['durable.invalid_input']);
  });

  test('a row that was copied from the address of another tenant is not received, and its value is in no text', async () => {
    const key = nextKey();
    const address = { tenantId: 'acme', key, name: 'approval' };
    const foreign = {
      value: 'secret-8',
      sender: 'eve',
      by: 'caller',
      to: messageKey({ ...address, tenantId: 'evil' }).key,
    };
    await writeOnce(ledger, messageKey(address), foreign, { writer: 'eve', keepSeconds: 60, signal: undefined });
    const ran = await run(waits(key));
    expect(ran.error?.ErrorType).toBe('durable.callback_failed');
    expect(JSON.stringify([ran.error, ran.lines])).not.toContain('secret-8');
  });

  test('a value with which another system completes the callback is not received', async () => {
    const ran = await run(waits(nextKey()), {
      onSuspended: (started) => {
        const [waiting] = started.operations(started.list()[0]?.arn ?? '').filter(({ Type }) => Type === 'CALLBACK');
        started.succeedCallback(waiting?.CallbackDetails?.CallbackId ?? '', JSON.stringify(APPROVED));
      },
    });
    expect(ran.error?.ErrorType).toBe('durable.callback_failed');
  });
});

test('a value that does not fit the schema fails the receiver, and the value is in no text', async () => {
  const key = nextKey();
  await send(key, { approved: 'secret-7' });
  const ran = await run(waits(key));
  expect(ran.error?.ErrorType).toBe('durable.callback_invalid');
  expect(JSON.stringify([ran.error, ran.lines])).not.toContain('secret-7');
});

test('a kill at each checkpoint receives the message once', async () => {
  const { checkpoints } = await run(waits(await sent()));
  for (let kill = 1; kill <= checkpoints; kill += 1) {
    const ran = await run(waits(await sent()), {
      onCheckpoint: (checkpoint) => {
        if (checkpoint === kill) throw new Error('killed');
      },
    });
    expect([kill, ran.result]).toEqual([kill, RECEIVED]);
  }
});

async function sent(): Promise<string> {
  const key = nextKey();
  await send(key);
  return key;
}

test('a lost answer at each request of a message loses nothing: the same call again is the same message', async () => {
  const lossy = createJobLedger({ client: table.client, tableName: table.name });
  table.proxy.clear();
  await send(nextKey(), APPROVED, { ledger: lossy });
  const requests = table.proxy.operations.length;
  for (let after = 0; after < requests; after += 1) {
    const key = nextKey();
    table.proxy.clear();
    table.proxy.inject({ kind: 'lost-answer' }, { after, times: 3 });
    await settled(send(key, APPROVED, { ledger: lossy }));
    table.proxy.clear();
    expect([after, await settled(send(key, APPROVED, { ledger: lossy }))]).toEqual([
      after,
      expect.stringMatching(/^(?:stored|existing)$/),
    ]);
    expect((await run(waits(key))).result).toBe(RECEIVED);
  }
  expect(requests).toBeGreaterThan(3);
});

test('the newest status can be read while the execution runs and after its end, and is written once', async () => {
  const seen: unknown[] = [];
  const read = async () => (await queryExecution(engine.list()[0]?.arn ?? '', { ledger }))?.value;
  const ran = await run(
    async (ctx) => {
      await ctx.wait('before', { seconds: 1 });
      for (let packed = 1; packed <= 5; packed += 1) await status(ctx, { packed }, { ledger });
      await ctx.wait('pause', { seconds: 5 });
      await status(ctx, 'done', { ledger });
    },
    { onSuspended: async () => void seen.push(await read()) },
  );
  seen.push(await read(), await queryExecution('arn:unknown', { ledger }));
  expect([ran.status, seen]).toEqual(['SUCCEEDED', [undefined, { packed: 5 }, 'done', undefined]]);
});

test('a status outside an execution writes nothing, and a bad one is rejected there too', async () => {
  const outside = (value: unknown) => durable((ctx: Durable) => status(ctx, value, { ledger }))({} as Durable);
  await outside('fine');
  const codes = await Promise.all(
    [undefined, 'a'.repeat(262_143)].map((value) => outside(value).catch((error: { code: unknown }) => error.code)),
  );
  expect(codes).toEqual(['durable.invalid_input', 'durable.too_large']);
});
