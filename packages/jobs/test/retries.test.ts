import { createDispatcher } from '@sallyport/dispatch';
import { createApp } from '@sallyport/dispatch/app';
import { countCalls, createLocalClient, createTable, TableClock } from '@sallyport/dynamodb-local';
import { json } from '@sallyport/http';
import {
  createJobLedger,
  createMemoryJobLedger,
  createMemoryTable,
  idempotentHandler,
  type JobLedger,
  runIdempotent,
  withIdempotency,
} from '@sallyport/jobs';
import { JOBS_TABLE_SCHEMA } from '@sallyport/jobs/schema';
import { createFakeJobLedger } from '@sallyport/jobs/testing';
import { createEventRouter } from '@sallyport/streams';
import { buildAPIGatewayV2Request, buildTopicEvent } from '@sallyport/testkit';
import { createLogRecorder, type LogRecorder } from './support/log.js';

const START_MS = Date.UTC(2026, 0, 1);
const SECOND_MS = 1000;

/** Makes a ledger of one process. All ledgers of one opener share their rows. */
type Open = (clock: TableClock, log: LogRecorder) => Promise<JobLedger>;

function openMemory(): Open {
  const table = createMemoryTable();
  return async (clock, log) => createMemoryJobLedger({ clock, log, table });
}

let tableName: string;

beforeAll(async () => {
  const client = await createLocalClient();
  tableName = await createTable(client, JOBS_TABLE_SCHEMA);
  client.destroy();
});

const openTable: Open = async (clock, log) => {
  const client = await createLocalClient();
  clock.watch(client);
  const ledger = createJobLedger({ client, tableName, clock, log, storeTimeoutMs: 60_000 });
  await clock.during(() => ledger.warm());
  return ledger;
};

interface Setting {
  readonly ledger: JobLedger;
  readonly clock: TableClock;
  readonly log: LogRecorder;
  readonly key: string;
  /** The timeout of the function. */
  readonly timeoutMs: number;
}

/** The three functions that run work under a key. Each starts one invocation. */
const WRAPPERS: Readonly<Record<string, (setting: Setting, work: () => Promise<unknown>) => Promise<unknown>>> = {
  idempotentHandler: ({ ledger, clock, log, key, timeoutMs }, work) => {
    const router = createEventRouter({ clock, log });
    router.topic('news', idempotentHandler(ledger, {}, work));
    const event = buildTopicEvent('arn:aws:sns:eu-west-1:123456789012:news', [{ messageId: key }] as never);
    // Every delivery of one asynchronous event has the same request id.
    return createDispatcher(router).handleLambda(event, lambdaContext(clock, timeoutMs));
  },
  runIdempotent: ({ ledger, key, timeoutMs }, work) =>
    runIdempotent(ledger, { scope: 's', key, remainingMs: timeoutMs }, work),
  withIdempotency: async ({ ledger, clock, log, key, timeoutMs }, work) => {
    const app = createApp({ clock, log, authHook: () => 'ada' });
    app.use(withIdempotency(ledger));
    app.handle('POST', '/notes', async () => json(201, { value: await work() }), { authRequired: true });
    const event = buildAPIGatewayV2Request('POST', '/notes', { headers: { 'idempotency-key': key } } as never);
    const answer = await app.handleLambda(event, lambdaContext(clock, timeoutMs));
    if ((answer as { statusCode: number }).statusCode !== 201) throw new Error('in progress');
    return answer;
  },
};

function lambdaContext(clock: TableClock, timeoutMs: number) {
  const endMs = clock.now().getTime() + timeoutMs;
  return { awsRequestId: 'r-1', getRemainingTimeInMillis: () => endMs - clock.now().getTime() } as never;
}

type Ended = 'handled' | 'rejected' | 'killed';

let keys = 0;

/** Delivers one event at most three times, each to a separate process. Returns the outcome of each delivery. */
class Event {
  readonly #open: Open;
  readonly #wrapper: string;
  readonly #timeoutMs: number;
  readonly #key: string;
  readonly log = createLogRecorder();
  ran = 0;
  nowMs = START_MS;

  constructor(open: Open, wrapper: string, timeoutMs: number) {
    this.#open = open;
    this.#wrapper = wrapper;
    this.#timeoutMs = timeoutMs;
    keys += 1;
    this.#key = `event-${keys}`;
  }

  /** One delivery in a process that is killed after some time, or at the timeout of the function. */
  async deliver(diesAfterMs?: number): Promise<Ended> {
    const clock = new TableClock(this.nowMs);
    const setting = await this.#setting(clock);
    let kill: (() => void) | undefined;
    const killed = new Promise<Ended>((resolve) => {
      kill = () => {
        clock.stop();
        resolve('killed');
      };
    });
    const invoked = WRAPPERS[this.#wrapper]?.(setting, async () => {
      if (diesAfterMs === undefined) {
        this.ran += 1;
        return undefined;
      }
      await new Promise<void>((resolve) => clock.after(diesAfterMs, resolve));
      kill?.();
      return new Promise(() => {});
    });
    const settled = Promise.resolve(invoked).then(
      (): Ended => 'handled',
      (): Ended => 'rejected',
    );
    const ended = await Promise.race([killed, settled]);
    clock.stop();
    this.nowMs = clock.now().getTime();
    return ended;
  }

  async #setting(clock: TableClock): Promise<Setting> {
    const ledger = await this.#open(clock, this.log);
    return { ledger, clock, log: this.log, key: this.#key, timeoutMs: this.#timeoutMs };
  }
}

/** Time-outs of functions, and when the first run is killed, in seconds. */
const TIMEOUTS = [30, 60, 120, 180, 190, 300, 900];
const CRASHES = [1, 5, 14, 16, 29, 44, 46, 59, 118, 188, 298, 470, 898];
/**
 * Waits before the retries of an asynchronous event: one minute and two minutes, and longer waits.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
const RETRIES = [
  [60, 120],
  [75, 150],
] as const;
const CASES = TIMEOUTS.flatMap((timeout) =>
  CRASHES.filter((crash) => crash < timeout).flatMap((crash) => RETRIES.map((waits) => ({ timeout, crash, waits }))),
);

async function crashed(open: Open, wrapper: string, { timeout, crash, waits }: (typeof CASES)[number]) {
  const event = new Event(open, wrapper, timeout * SECOND_MS);
  const ends = [await event.deliver(crash * SECOND_MS)];
  for (const wait of waits) {
    event.nowMs += wait * SECOND_MS;
    ends.push(await event.deliver());
  }
  return { ends, ran: event.ran };
}

describe('an event whose first run was killed', () => {
  it.each(Object.keys(WRAPPERS))('is handled by the first retry at every time-out: %s', async (wrapper) => {
    const open = openMemory();
    const wrong: unknown[] = [];
    for (const one of CASES) {
      const outcome = await crashed(open, wrapper, one);
      if (JSON.stringify(outcome) !== '{"ends":["killed","handled","handled"],"ran":1}')
        wrong.push({ ...one, outcome });
    }
    expect(CASES).toHaveLength(130);
    expect(wrong).toEqual([]);
  });

  it.each([
    { timeout: 190, crash: 1, waits: RETRIES[0] },
    { timeout: 300, crash: 46, waits: RETRIES[1] },
    { timeout: 900, crash: 5, waits: RETRIES[0] },
  ])('is handled by the first retry, over DynamoDB: $timeout s, killed after $crash s', async (one) => {
    for (const wrapper of Object.keys(WRAPPERS)) {
      expect(await crashed(openTable, wrapper, one)).toEqual({ ends: ['killed', 'handled', 'handled'], ran: 1 });
    }
  });

  it('is handled by the last retry when the first retry was killed too', async () => {
    const event = new Event(openMemory(), 'idempotentHandler', 900_000);
    const ends = [await event.deliver(5000)];
    event.nowMs += 60_000;
    ends.push(await event.deliver(800_000));
    event.nowMs += 120_000;
    ends.push(await event.deliver());
    expect([ends, event.ran]).toEqual([['killed', 'killed', 'handled'], 1]);
  });
});

describe.each(Object.keys(WRAPPERS))('a run of %s', (wrapper) => {
  it.each([
    ['14 s', 14, 2],
    ['16 s', 16, 3],
    ['40 s', 40, 4],
    ['100 s', 100, 8],
  ])('of %s writes begin, end, and one renewal for each 15 s', async (_, seconds, writes) => {
    const clock = new TableClock(START_MS);
    const log = createLogRecorder();
    const client = await createLocalClient();
    const counter = countCalls(client);
    clock.watch(client);
    const ledger = createJobLedger({ client, tableName, clock, log, storeTimeoutMs: 60_000 });
    await clock.during(() => ledger.warm());
    counter.take();
    const setting = { ledger, clock, log, key: `cost-${wrapper}-${seconds}`, timeoutMs: 900_000 };
    await WRAPPERS[wrapper]?.(
      setting,
      () => new Promise((resolve) => clock.after(seconds * SECOND_MS, () => resolve(1))),
    );
    expect(counter.total()).toMatchObject({ calls: writes, writeUnits: writes });
    expect(clock.pendingTimers).toBe(0);
    client.destroy();
  });

  it('rejects a second delivery until the first has ended', async () => {
    const clock = new TableClock(START_MS);
    const log = createLogRecorder();
    const ledger = createMemoryJobLedger({ clock, log });
    const setting = { ledger, clock, log, key: 'twice', timeoutMs: 900_000 };
    const deliver = (work: () => Promise<unknown>) =>
      Promise.resolve(WRAPPERS[wrapper]?.(setting, work)).then(
        () => 'handled',
        () => 'rejected',
      );
    let ran = 0;
    const first = deliver(async () => {
      ran += 1;
      await new Promise<void>((resolve) => clock.after(400_000, resolve));
    });
    const ends: string[] = [];
    for (const atMs of [1, 1000, 49_999, 50_001, 60_000, 120_000, 399_000]) {
      await new Promise<void>((resolve) => clock.after(START_MS + atMs - clock.now().getTime(), resolve));
      ends.push(await deliver(async () => (ran += 1)));
    }
    expect(ends).toEqual(['rejected', 'rejected', 'rejected', 'rejected', 'rejected', 'rejected', 'rejected']);
    expect(await first).toBe('handled');
    expect(await deliver(async () => (ran += 1))).toBe('handled');
    expect(ran).toBe(1);
    expect(log.lines.filter(([level]) => level === 'warn')).toEqual([]);
  });

  it('that continues after its invocation, in a frozen process, renews no lease', async () => {
    const clock = new TableClock(START_MS);
    const log = createLogRecorder();
    const ledger = createFakeJobLedger({ clock, log });
    const setting = { ledger, clock, log, key: 'frozen', timeoutMs: 100_000 };
    const invoked = Promise.resolve(
      WRAPPERS[wrapper]?.(setting, () => new Promise((resolve) => clock.after(300_000, () => resolve(1)))),
    ).catch(() => undefined);
    await new Promise<void>((resolve) => clock.after(299_000, resolve));
    expect(ledger.calls.filter(({ operation }) => operation === 'renewIdempotency')).toHaveLength(4);
    await new Promise<void>((resolve) => clock.after(2000, resolve));
    await invoked;
    expect(clock.pendingTimers).toBe(0);
  });

  it('that blocks the event loop for 60 s cannot complete over the run that took its key', async () => {
    const open = openMemory();
    const blockedClock = new TableClock(START_MS);
    const blockedLog = createLogRecorder();
    const common = { key: 'blocked', timeoutMs: 900_000 };
    const blocked = { ...common, ledger: await open(blockedClock, blockedLog), clock: blockedClock, log: blockedLog };
    const order: string[] = [];
    await WRAPPERS[wrapper]?.(blocked, async () => {
      blockedClock.tick(60_000);
      const clock = new TableClock(START_MS + 60_000);
      const log = createLogRecorder();
      await WRAPPERS[wrapper]?.({ ...common, ledger: await open(clock, log), clock, log }, async () => {
        order.push('second');
        return 'second';
      });
      expect(log.lines).toEqual([]);
      order.push('first');
      return 'first';
    });
    expect(order).toEqual(['second', 'first']);
    expect(blockedLog.lines.filter(([level]) => level === 'warn')).toEqual([['warn', 'result was not stored']]);
    const later = new TableClock(START_MS + 61_000);
    const laterLog = createLogRecorder();
    const again = { ...common, ledger: await open(later, laterLog), clock: later, log: laterLog };
    const replayed = JSON.stringify(await WRAPPERS[wrapper]?.(again, async () => order.push('third')));
    expect(replayed).toContain('second');
    expect(order).toEqual(['second', 'first']);
  });
});
