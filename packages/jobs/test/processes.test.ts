import { createLocalClient, createTable, dynamodbEndpoint } from '@sallyport/dynamodb-local';
import { createJobLedger, type JobLedger } from '@sallyport/jobs';
import { JOBS_TABLE_SCHEMA } from '@sallyport/jobs/schema';
import {
  checkFencedWrites,
  checkKeys,
  checkOverlaps,
  checkTokens,
  type FencedWrite,
  type Hold,
  type KeyEvent,
} from './support/histories.js';
import type { WorkerReport } from './support/worker.js';
import { type Worker, Workers } from './support/workers.js';

const INSTANCES = 8;
const LEASE_MS = 1000;
/** Longer than a lease: a process that is frozen for this time has lost its lease. */
const FROZEN_MS = 1500;
/** Holders of the contended lease that are killed or frozen, in turn. */
const HITS = 4;
const LOSSES = { before: 0.05, after: 0.2 };
const SKEWS = [0, 0, 120_000, -120_000, 60_000, -60_000, 120_000, -120_000];
let tableName: string;
let ledger: JobLedger;
let workers: Workers;
let close: () => void;

beforeAll(async () => {
  const client = await createLocalClient();
  close = () => client.destroy();
  tableName = await createTable(client, JOBS_TABLE_SCHEMA);
  ledger = createJobLedger({ client, tableName });
  workers = new Workers(await dynamodbEndpoint());
});

afterEach(() => workers.killAll());
afterAll(async () => {
  await workers.stop();
  close();
});

/** The protected resource: rejects a write with a smaller token than the largest token so far. */
class FencedResource {
  readonly accepted: FencedWrite[] = [];
  readonly holds: Hold[] = [];
  #largest = 0;

  /** A frozen process may report an acquisition late, so the time of its request is ignored. */
  held(token: number, pid: number): void {
    this.holds.push({ name: 'resource', holder: `${pid}/${token}`, askedMs: 0, fromMs: 0, toMs: 0, token });
  }

  write(token: number, pid: number): boolean {
    if (token < this.#largest) return false;
    this.#largest = token;
    this.accepted.push({ token, holder: String(pid) });
    return true;
  }

  violations(): string[] {
    return [...checkTokens(this.holds), ...checkFencedWrites(this.accepted)];
  }
}

it('eight processes contend for a lease while holders are killed and frozen and answers are lost: tokens grow, and work continues', async () => {
  const resource = new FencedResource();
  const order = { kind: 'lease', tableName, durationMs: LEASE_MS, keys: [], losses: LOSSES } as const;
  let hits = 0;
  let takenOver = 0;
  await new Promise<void>((resolve) => {
    let isOrphaned = false;
    const onReport = (report: WorkerReport, worker: Worker) => {
      if (report.kind === 'held') {
        if (isOrphaned) takenOver += 1;
        isOrphaned = false;
        resource.held(report.token, worker.pid);
      }
      if (report.kind !== 'wrote' || !resource.write(report.token, worker.pid)) return;
      if (isOrphaned || Math.random() > 0.3) return;
      if (hits === HITS) return resolve();
      hits += 1;
      isOrphaned = true;
      if (hits % 2 === 0) return worker.freeze(FROZEN_MS);
      worker.kill();
      workers.start(order, onReport);
    };
    for (let count = 0; count < INSTANCES; count += 1) workers.start(order, onReport);
  });
  expect(resource.violations()).toEqual([]);
  expect(takenOver).toBe(HITS);
});

it('eight processes whose clocks are up to two minutes wrong: a lease may have two holders, its tokens still grow', async () => {
  const holds: Hold[] = [];
  await new Promise<void>((resolve) => {
    const onReport = (report: WorkerReport) => {
      if (report.kind === 'hold' && report.limit === 1) holds.push(report.hold);
      if (holds.length === 24) resolve();
    };
    for (const skewMs of SKEWS) {
      workers.start({ kind: 'holds', tableName, durationMs: LEASE_MS, keys: ['skewed'], skewMs }, onReport);
    }
  });
  expect(checkTokens(holds)).toEqual([]);
  expect(new Set(holds.map(({ holder }) => holder)).size).toBeGreaterThanOrEqual(2);
});

it('eight processes share a lease and a semaphore while some are killed and frozen: one holder, and three', async () => {
  const holds = new Map<number, Hold[]>();
  const order = { kind: 'holds', tableName, durationMs: LEASE_MS, keys: ['turns'], losses: LOSSES } as const;
  let seen = 0;
  await new Promise<void>((resolve) => {
    const onReport = (report: WorkerReport, worker: Worker) => {
      if (report.kind !== 'hold') return;
      holds.set(report.limit, [...(holds.get(report.limit) ?? []), report.hold]);
      seen += 1;
      if (seen === 60) resolve();
      if (seen % 15 === 7) worker.freeze(FROZEN_MS);
      if (seen % 20 !== 0) return;
      worker.kill();
      workers.start(order, onReport);
    };
    for (let count = 0; count < INSTANCES; count += 1) workers.start(order, onReport);
  });
  const [leases, slots] = [holds.get(1) ?? [], holds.get(3) ?? []];
  expect(checkOverlaps(leases, 1)).toEqual([]);
  expect(checkTokens(leases)).toEqual([]);
  expect(checkOverlaps(slots, 3)).toEqual([]);
  expect(Math.min(leases.length, slots.length)).toBeGreaterThan(5);
});

it('eight processes run the same keys and crash at every point: each effect happens, and no stored result changes', async () => {
  const keys = Array.from({ length: 12 }, (_, index) => `key-${index}`);
  const events: KeyEvent[] = [];
  const crashes = ['before', 'between', 'after', 'before', 'between', 'after', undefined, undefined] as const;
  await allDone(crashes.length, (index, onReport) => {
    const crash = crashes[index];
    const common = { kind: 'idempotency', tableName, durationMs: LEASE_MS, keys, losses: LOSSES } as const;
    return workers.start({ ...common, ...(crash && { crash }) }, (report, worker) => {
      if (report.kind === 'effect' || report.kind === 'answer') events.push(report);
      onReport(report, worker);
    });
  });
  expect(checkKeys(events, keys, { exactlyOnce: false })).toEqual([]);
});

it('eight processes run the same keys without a crash, one answer in five is lost: each effect happens once', async () => {
  const keys = Array.from({ length: 25 }, (_, index) => `calm-${index}`);
  const events: KeyEvent[] = [];
  await allDone(INSTANCES, (_, onReport) =>
    workers.start({ kind: 'idempotency', tableName, durationMs: 60_000, keys, losses: LOSSES }, (report, worker) => {
      if (report.kind === 'effect' || report.kind === 'answer') events.push(report);
      onReport(report, worker);
    }),
  );
  expect(checkKeys(events, keys, { exactlyOnce: true })).toEqual([]);
});

it('eight processes drain a job while some are killed and frozen: each record ends once, is counted once, and one end is the last', async () => {
  const jobId = 'drained';
  const recordIds = Array.from({ length: 40 }, (_, index) => `r${index}`);
  await ledger.createJob({ jobId, tenantId: 't', recordCount: recordIds.length });
  await ledger.createRecords({ jobId, recordIds });
  const ended: (WorkerReport & { kind: 'ended' })[] = [];
  let claims = 0;
  await allDone(INSTANCES, (_, onReport) =>
    workers.start(
      { kind: 'records', tableName, durationMs: LEASE_MS, keys: [jobId], losses: LOSSES },
      (report, worker) => {
        if (report.kind === 'ended') ended.push(report);
        if (report.kind === 'claimed') {
          claims += 1;
          if (claims === 6 || claims === 14) worker.kill();
          if (claims === 10 || claims === 18) worker.freeze(FROZEN_MS);
        }
        onReport(report, worker);
      },
    ),
  );
  const job = await ledger.getJob({ jobId, consistent: true });
  expect(job?.progress).toEqual({ total: 40, open: 0, succeeded: 40, failed: 0, skipped: 0 });
  const { items } = await ledger.listRecords({ jobId, limit: 100 });
  const told = new Map(ended.map(({ key, value }) => [key, value]));
  expect(told.size).toBe(ended.length);
  for (const { recordId, result } of items) expect(told.get(recordId) ?? result).toBe(result);
  expect(ended.filter(({ isLast }) => isLast).length).toBeLessThanOrEqual(1);
  expect(items.filter(({ attempts }) => attempts > 1).length).toBeGreaterThanOrEqual(2);
});

/** Starts workers and waits until each has done its work or has ended. */
async function allDone(
  count: number,
  start: (index: number, onReport: (report: WorkerReport, worker: Worker) => void) => Worker,
): Promise<void> {
  const runs = Array.from({ length: count }, (_, index) => {
    return new Promise<void>((resolve) => {
      const worker = start(index, (report) => {
        if (report.kind === 'done') resolve();
      });
      void worker.ended.then(() => resolve());
    });
  });
  await Promise.all(runs);
}
