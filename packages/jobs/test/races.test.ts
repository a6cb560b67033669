import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Changes,
  type Item,
  type Key,
  MemoryTable,
  type PutOptions,
  type UpdateOptions,
  type WriteOutcome,
} from '@sallyport/dynamo';
import { createLocalClient, createTable, retryAtOnce } from '@sallyport/dynamodb-local';
import { createJobLedger, createMemoryJobLedger, type JobLedger, JobLedgerError } from '@sallyport/jobs';
import { JOBS_TABLE_SCHEMA } from '@sallyport/jobs/schema';
import { checkSteps, type StepTold } from './support/histories.js';
import { createRandom, shake } from './support/shaken-client.js';

/** One answer in five is lost after the server has applied the request, one request in twenty before. */
const LOSSES = { before: 0.05, after: 0.2 };
/** Steps of one job: made, started, two records made, started and ended, finished. */
const STEPS_OF_A_JOB = 9;
const LANES = 64;
const TRIES = 9;
// Stopped clocks: two callers write equal items except for the id of their write.
const clock = { now: () => new Date(1_700_000_000_000) };

/** A table that loses requests and answers as a bad connection does, and tries again as the SDK does. */
class ShakenTable extends MemoryTable {
  readonly #random = createRandom(7);

  override put(item: Item & Key, options: PutOptions): Promise<WriteOutcome> {
    return this.#shaken(() => super.put(item, options));
  }

  override update(key: Key, changes: Changes, options: UpdateOptions): Promise<WriteOutcome> {
    return this.#shaken(() => super.update(key, changes, options));
  }

  async #shaken(write: () => Promise<WriteOutcome>): Promise<WriteOutcome> {
    for (let tried = 0; tried < TRIES; tried += 1) {
      await nextTurn();
      if (this.#random() < LOSSES.before) continue;
      const outcome = await write();
      if (this.#random() >= LOSSES.after) return outcome;
    }
    throw new JobLedgerError('internal_error', 'store_unavailable', 'lost', { retryable: true });
  }
}

/** Callers of two instances, and a caller with a stable connection. */
interface Bench {
  readonly callers: readonly JobLedger[];
  readonly calm: JobLedger;
  close(): void;
}

const BENCHES: Readonly<Record<string, { readonly steps: number; open(): Promise<Bench> }>> = {
  'in memory': {
    steps: 10_000,
    async open() {
      const table = new ShakenTable();
      const callers = [createMemoryJobLedger({ table, clock }), createMemoryJobLedger({ table, clock })];
      return { callers, calm: createMemoryJobLedger({ table, clock }), close: () => {} };
    },
  },
  'in DynamoDB Local': {
    // RACE_STEPS=10000 runs for some minutes.
    steps: Number(process.env.RACE_STEPS ?? 360),
    async open() {
      const direct = await createLocalClient();
      const tableName = await createTable(direct, JOBS_TABLE_SCHEMA);
      const shaken = await Promise.all([1, 2].map(() => createLocalClient({ retryStrategy: retryAtOnce(TRIES - 1) })));
      for (const [seed, client] of shaken.entries()) shake(client as never, LOSSES, createRandom(seed + 1));
      return {
        callers: shaken.map((client) => createJobLedger({ client, tableName, clock })),
        calm: createJobLedger({ client: direct, tableName, clock }),
        close: () => {
          for (const client of [direct, ...shaken]) client.destroy();
        },
      };
    },
  },
};

interface Race extends Bench {
  readonly told: StepTold[];
}

/** Both callers try a step at the same time. */
async function contend(
  { callers, told }: Race,
  step: string,
  run: (ledger: JobLedger) => Promise<unknown>,
): Promise<void> {
  await Promise.all(
    callers.map(async (ledger, caller) => {
      const outcome = await run(ledger).then(
        () => 'won' as const,
        (error: unknown) => {
          if (error instanceof JobLedgerError && error.type === 'conflict') return 'lost' as const;
          if (error instanceof JobLedgerError && error.retryable) return 'unknown' as const;
          throw error;
        },
      );
      told.push({ step, caller: String(caller), told: outcome });
    }),
  );
}

/** The outcome of a batch with one record. */
async function single(
  outcomes: Promise<readonly { readonly outcome: string; readonly error?: Error }[]>,
): Promise<void> {
  const [first] = await outcomes;
  if (first?.outcome !== 'ok') throw first?.error ?? new Error('no outcome');
}

async function lifeOf(race: Race, jobId: string): Promise<void> {
  const records = ['a', 'b'];
  await contend(race, `${jobId} made`, (ledger) =>
    ledger.createJob({ jobId, tenantId: 't', metadata: { kept: 'yes' } }),
  );
  await contend(race, `${jobId} RUNNING`, (ledger) => ledger.transitionJob({ jobId, to: 'RUNNING' }));
  for (const recordId of records) {
    const key = { jobId, recordId };
    await contend(race, `${jobId} ${recordId} made`, (ledger) =>
      single(ledger.createRecords({ jobId, recordIds: [recordId] })),
    );
    await contend(race, `${jobId} ${recordId} PROCESSING`, (ledger) =>
      ledger.transitionRecord({ ...key, to: 'PROCESSING' }),
    );
    await contend(race, `${jobId} ${recordId} SUCCEEDED`, (ledger) =>
      ledger.transitionRecord({ ...key, to: 'SUCCEEDED', expectedAttempts: 1, result: 'same' }),
    );
  }
  await contend(race, `${jobId} SUCCEEDED`, (ledger) =>
    ledger.transitionJob({ jobId, to: 'SUCCEEDED', expectedVersion: 2 }),
  );
}

it.each(Object.entries(BENCHES))(
  'each step that two callers try at the same time, with one response in five lost, has one winner: %s',
  async (_, { steps, open }) => {
    const race = { ...(await open()), told: [] as StepTold[] };
    const jobs = Array.from({ length: Math.ceil(steps / STEPS_OF_A_JOB) }, (__, index) => `j${index}`);
    await inLanes(jobs, (jobId) => lifeOf(race, jobId));
    const happened = new Set<string>();
    await inLanes(jobs, async (jobId) => {
      for (const step of await stepsOf(race.calm, jobId)) happened.add(step);
    });
    race.close();
    expect(happened.size).toBeGreaterThanOrEqual(steps * 0.99);
    expect(checkSteps(race.told, happened)).toEqual({ doubled: [], lost: [] });
    // Calls without a response are few, so the result is meaningful.
    expect(race.told.filter((one) => one.told === 'unknown').length).toBeLessThan(race.told.length / 100);
  },
);

async function inLanes<T>(all: readonly T[], run: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  const lane = async () => {
    for (const one of left) await run(one);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function stepsOf(calm: JobLedger, jobId: string): Promise<string[]> {
  const [job, records] = await Promise.all([calm.getJob({ jobId, consistent: true }), calm.listRecords({ jobId })]);
  const steps = job ? [`${jobId} made`] : [];
  if (job && job.version >= 2) steps.push(`${jobId} RUNNING`);
  if (job?.status === 'SUCCEEDED') steps.push(`${jobId} SUCCEEDED`);
  for (const { recordId, attempts, status } of records.items) {
    steps.push(`${jobId} ${recordId} made`);
    if (attempts > 0) steps.push(`${jobId} ${recordId} PROCESSING`);
    if (status === 'SUCCEEDED') steps.push(`${jobId} ${recordId} SUCCEEDED`);
  }
  return steps;
}
