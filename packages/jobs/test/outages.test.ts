import { setImmediate as nextTurn } from 'node:timers/promises';
import { ManualClock } from '@sallyport/core/testing';
import { createDispatcher } from '@sallyport/dispatch';
import { atEachCall, createTable, FaultyTable, OUTAGES, type OutageRun } from '@sallyport/dynamodb-local';
import {
  createEventBusStore,
  createJobLedger,
  type EventBusStore,
  idempotentHandler,
  type JobLedger,
  runIdempotent,
} from '@sallyport/jobs';
import { EVENTBUS_TABLE_SCHEMA, JOBS_TABLE_SCHEMA } from '@sallyport/jobs/schema';
import { createEventRouter } from '@sallyport/streams';
import { buildTopicEvent } from '@sallyport/testkit';
import { createLogRecorder, type LogRecorder } from './support/log.js';

/** Fourteen minutes: longer than every outage. */
const LEFT_MS = 840_000;
/** Less than the longest outage. */
const SHORT_MS = 3000;

let faulty: FaultyTable;
let eventTable: string;

beforeAll(async () => {
  faulty = await FaultyTable.start(JOBS_TABLE_SCHEMA);
  eventTable = await createTable(faulty.direct, EVENTBUS_TABLE_SCHEMA);
});
afterAll(() => faulty.stop());

interface Setting {
  readonly ledger: JobLedger;
  readonly events: EventBusStore;
  readonly log: LogRecorder;
  /** An id that no other run uses. */
  readonly id: string;
  effects: number;
}

async function open({ client, clock, run }: OutageRun): Promise<Setting> {
  const log = createLogRecorder();
  const ledger = createJobLedger({ client, tableName: faulty.name, clock, log });
  const events = createEventBusStore({ client, tableName: eventTable, clock, log });
  await clock.during(async () => Promise.all([ledger.warm(), events.warm()]));
  return { ledger, events, log, id: `o${run}`, effects: 0 };
}

const warnings = ({ log }: Setting) => log.lines.filter(([level]) => level === 'warn');
const after = (ms: number, { clock }: OutageRun) => new Promise<void>((resolve) => clock.after(ms, resolve));

/** Work under a key; `size` is the size of its result. */
const WORK: Readonly<Record<string, (setting: Setting, run: OutageRun, leftMs: number) => Promise<unknown>>> = {
  runIdempotent: (setting, _, remainingMs) =>
    runIdempotent(setting.ledger, { scope: 's', key: setting.id, remainingMs }, effectOf(setting, 1)),
  'runIdempotent with a result in its own item': (setting, _, remainingMs) =>
    runIdempotent(setting.ledger, { scope: 's', key: setting.id, remainingMs }, effectOf(setting, 5000)),
  idempotentHandler: (setting, { clock }, leftMs) => {
    const { ledger, log, id } = setting;
    const router = createEventRouter({ clock, log });
    router.topic('news', idempotentHandler(ledger, {}, effectOf(setting, 1)));
    const event = buildTopicEvent('arn:aws:sns:eu-west-1:123456789012:news', [{ messageId: id }] as never);
    return createDispatcher(router).handleLambda(event, { getRemainingTimeInMillis: () => leftMs } as never);
  },
};

function effectOf(setting: Setting, size: number) {
  return async () => {
    setting.effects += 1;
    return 'x'.repeat(size);
  };
}

describe.each(OUTAGES)('$name at each request', (outage) => {
  it.each(Object.entries(WORK))('loses no result and repeats no work: %s', async (_, work) => {
    const requests = await atEachCall(faulty, outage, {
      prepare: open,
      act: (setting, run) => work(setting, run, LEFT_MS),
      check: async (setting, run) => {
        // A begin that failed has run nothing, and its event is delivered again.
        if (run.error !== undefined) expect([run.call, setting.effects]).toEqual([1, 0]);
        await after(60_000, run);
        await work(setting, run, LEFT_MS);
        expect(setting.effects).toBe(1);
        expect(warnings(setting)).toEqual([]);
        expect(run.clock.pendingTimers).toBe(0);
      },
    });
    expect(requests[0]).toBe('PutItem');
    expect(requests.at(-1)).toBe('UpdateItem');
  });

  it('reports a lost result if the outage exceeds the remaining time', async () => {
    await atEachCall(faulty, outage, {
      prepare: open,
      act: (setting, run) => WORK.runIdempotent?.(setting, run, SHORT_MS) ?? Promise.resolve(),
      check: async (setting, run) => {
        const isLost = outage.awayMs > SHORT_MS && run.call === 2;
        expect(warnings(setting)).toEqual(isLost ? [['warn', 'result was not stored']] : []);
        await after(60_000, run);
        await WORK.runIdempotent?.(setting, run, SHORT_MS);
        expect(setting.effects).toBe(isLost ? 2 : 1);
      },
    });
  });

  it('ends a job once', async () => {
    const requests = await atEachCall(faulty, outage, {
      prepare: async (run) => {
        const setting = await open(run);
        await setting.ledger.createJob({ jobId: setting.id, tenantId: 't', status: 'RUNNING' });
        return setting;
      },
      act: ({ ledger, id }) =>
        ledger.transitionJob({ jobId: id, to: 'SUCCEEDED', result: { n: 1 } }, { remainingMs: LEFT_MS }),
      check: async ({ ledger, id }, { value }) => {
        expect(value).toMatchObject({ status: 'SUCCEEDED', version: 2, result: { n: 1 } });
        expect(await ledger.getJob({ jobId: id, consistent: true })).toMatchObject({ status: 'SUCCEEDED', version: 2 });
      },
    });
    expect(requests).toEqual(['UpdateItem']);
  });

  it.each([1, 2])(
    'completes a record once, and exactly one caller receives that it was the last of %i',
    async (records) => {
      const requests = await atEachCall(faulty, outage, {
        prepare: async (run) => {
          const setting = await open(run);
          const { ledger, id: jobId } = setting;
          await ledger.createJob({ jobId, tenantId: 't', status: 'RUNNING', recordCount: records });
          await ledger.createRecords({ jobId, recordIds: ['a', 'b'].slice(0, records) });
          const claimed = await ledger.claimNext({ jobId });
          return { ...setting, claimed };
        },
        act: ({ ledger, id: jobId, claimed }) => {
          const end = {
            jobId,
            recordId: claimed?.recordId ?? '',
            claimId: claimed?.claim.id ?? '',
            to: 'SUCCEEDED',
          } as const;
          return ledger.transitionRecord(end, { remainingMs: LEFT_MS });
        },
        check: async ({ ledger, id: jobId }, { value }) => {
          const isLast = (value as { isLast?: true }).isLast;
          expect([(value as { status: string }).status, isLast]).toEqual([
            'SUCCEEDED',
            records === 1 ? true : undefined,
          ]);
          const progress = { total: records, open: records - 1, succeeded: 1, failed: 0, skipped: 0 };
          expect((await ledger.getJob({ jobId, consistent: true }))?.progress).toEqual(progress);
        },
      });
      expect(requests).toEqual(
        records === 1 ? ['TransactWriteItems', 'TransactWriteItems', 'GetItem'] : ['TransactWriteItems', 'GetItem'],
      );
    },
  );

  it('ends a record that the transition makes, and publishes an event, once', async () => {
    await atEachCall(faulty, outage, {
      prepare: async (run) => {
        const setting = await open(run);
        await setting.ledger.createJob({ jobId: setting.id, tenantId: 't' });
        return setting;
      },
      act: async ({ ledger, events, id }) => {
        const begin = { jobId: id, recordId: 'r', to: 'PROCESSING', orCreate: true } as const;
        const { attempts } = await ledger.transitionRecord(begin, { remainingMs: LEFT_MS });
        const event = { tenantId: 't', type: 'T', id, payload: 1 };
        const { outcome } = await events.publish(event, { remainingMs: LEFT_MS });
        return [attempts, outcome];
      },
      check: async ({ ledger, events, id }, { value }) => {
        expect(value).toEqual([1, 'created']);
        expect(await ledger.getRecord({ jobId: id, recordId: 'r', consistent: true })).toMatchObject({ attempts: 1 });
        expect(await events.get({ tenantId: 't', id, consistent: true })).toMatchObject({ payload: 1 });
      },
    });
  });

  it('leaves no operation half done: a repetition ends as one call does', async () => {
    for (const [name, { prepare, run, state }] of Object.entries(OPERATIONS)) {
      const states: unknown[] = [];
      await atEachCall(faulty, outage, {
        prepare: async (outageRun) => {
          const setting = await open(outageRun);
          return { setting, prepared: await prepare?.(setting) };
        },
        act: ({ setting, prepared }) => run(setting, prepared),
        check: async ({ setting, prepared }, { error }) => {
          if (error !== undefined) {
            expect(error).toMatchObject({ reason: 'store_unavailable', retryable: true });
            // The first call may have been applied without a response; then its repetition is a conflict.
            await run(setting, prepared).catch((thrown: { type?: string }) => expect(thrown.type).toBe('conflict'));
          }
          states.push(await state(setting));
        },
      });
      expect([name, new Set(states.map((one) => JSON.stringify(one))).size]).toEqual([name, 1]);
    }
  });
});

interface Operation {
  prepare?(setting: Setting): Promise<unknown>;
  run(setting: Setting, prepared: unknown): Promise<unknown>;
  /** The state that another caller reads, without times. */
  state(setting: Setting): Promise<unknown>;
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  createJob: {
    run: ({ ledger, id }) => ledger.createJob({ jobId: id, tenantId: 't', recordCount: 3 }),
    state: async ({ ledger, id }) => {
      const job = await ledger.getJob({ jobId: id, consistent: true });
      return [job?.status, job?.version, job?.progress];
    },
  },
  createRecords: {
    prepare: ({ ledger, id }) => ledger.createJob({ jobId: id, tenantId: 't' }),
    run: async ({ ledger, id }) => {
      const outcomes = await ledger.createRecords({ jobId: id, recordIds: ['a', 'b'] });
      const failed = outcomes.find(({ outcome }) => outcome === 'failed');
      if (failed && 'error' in failed) throw failed.error;
    },
    state: async ({ ledger, id }) =>
      (await ledger.listRecords({ jobId: id })).items.map(({ recordId, status }) => [recordId, status]),
  },
  acquireLease: {
    run: ({ ledger, id }) => ledger.acquireLease({ name: id, owner: 'o' }),
    state: async ({ ledger, id }) => (await ledger.getLease(id))?.owner,
  },
  releaseLease: {
    prepare: ({ ledger, id }) => ledger.acquireLease({ name: id, owner: 'o' }),
    run: ({ ledger }, lease) => ledger.releaseLease(lease as never),
    state: async ({ ledger, id }) => (await ledger.getLease(id)) ?? 'free',
  },
  refreshLease: {
    prepare: ({ ledger, id }) => ledger.acquireLease({ name: id, owner: 'o' }),
    run: ({ ledger }, lease) => ledger.refreshLease(lease as never, 900_000),
    state: async ({ ledger, id }) => (await ledger.getLease(id))?.owner,
  },
  acquireSlot: {
    run: ({ ledger, id }) => ledger.acquireSlot({ scope: 's', subject: id, limit: 1, owner: 'o' }),
    state: async ({ ledger, id }) => (await ledger.inspectSemaphore({ scope: 's', subject: id })).occupancy,
  },
  releaseSlot: {
    prepare: ({ ledger, id }) => ledger.acquireSlot({ scope: 's', subject: id, limit: 1, owner: 'o' }),
    run: ({ ledger }, slot) => ledger.releaseSlot(slot as never),
    state: async ({ ledger, id }) => (await ledger.inspectSemaphore({ scope: 's', subject: id })).occupancy,
  },
  beginIdempotency: {
    run: ({ ledger, id }) => ledger.beginIdempotency({ scope: 's', key: id, inProgressMs: 50_000 }),
    state: async ({ ledger, id }) => (await ledger.getIdempotencyRecord({ scope: 's', key: id }))?.status,
  },
  abandonIdempotency: {
    prepare: ({ ledger, id }) => ledger.beginIdempotency({ scope: 's', key: id, inProgressMs: 50_000 }),
    run: ({ ledger }, start) => ledger.abandonIdempotency((start as { handle: never }).handle),
    state: async ({ ledger, id }) => (await ledger.getIdempotencyRecord({ scope: 's', key: id })) ?? 'free',
  },
  'delete of an event': {
    prepare: ({ events, id }) => events.publish({ tenantId: 't', type: 'T', id, payload: 1 }),
    run: ({ events, id }) => events.delete({ tenantId: 't', id }),
    state: async ({ events, id }) => (await events.get({ tenantId: 't', id, consistent: true })) ?? 'absent',
  },
};

describe('a table that answers after the deadline of the call', () => {
  it('has applied the end of work once', async () => {
    await faulty.renew();
    const clock = new ManualClock(Date.UTC(2026, 0, 1));
    const log = createLogRecorder();
    const ledger = createJobLedger({ client: faulty.client, tableName: faulty.name, clock, log, storeTimeoutMs: 5000 });
    const setting = { ledger, log, effects: 0 };
    await ledger.warm();
    let isDone = false;
    faulty.proxy.inject({ kind: 'silence-after' }, { operation: 'UpdateItem', times: 1 });
    const work = () => {
      setting.effects += 1;
      return Promise.resolve('done');
    };
    const running = runIdempotent(ledger, { scope: 's', key: 'late', remainingMs: LEFT_MS }, work).finally(() => {
      isDone = true;
    });
    while (!faulty.proxy.operations.includes('UpdateItem')) await nextTurn();
    // The first attempt has no response within the time limit of the store; the second attempt detects it.
    await clock.advance(4999);
    expect(isDone).toBe(false);
    while (!isDone) {
      await clock.advance(100);
      await nextTurn();
    }
    expect((await running).value).toBe('done');
    expect((await runIdempotent(ledger, { scope: 's', key: 'late' }, work)).replayed).toBe(true);
    expect([setting.effects, log.lines, clock.pendingTimers]).toEqual([1, [], 0]);
  });
});
