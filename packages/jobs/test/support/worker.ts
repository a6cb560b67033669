/** One instance of a function as a separate process: works until it is killed, and reports its observations. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { retryAtOnce } from '@sallyport/dynamodb-local';
import {
  createJobLedger,
  type JobLedger,
  JobLedgerError,
  type Lease,
  runIdempotent,
  type Slot,
  withLease,
} from '@sallyport/jobs';
import type { Hold } from './histories.js';
import { createRandom, type Losses, shake } from './shaken-client.js';

export interface WorkerOrder {
  readonly kind: 'lease' | 'holds' | 'idempotency' | 'records';
  readonly tableName: string;
  readonly durationMs: number;
  /** Keys of idempotent work, the id of a job, or the name of the lease that the processes acquire in turn. */
  readonly keys: readonly string[];
  /** By how much its clock is wrong. */
  readonly skewMs?: number;
  /** Losses of its connection. */
  readonly losses?: Losses;
  /** Point at which an idempotent worker crashes once: before its effect, before its result is stored, or after it. */
  readonly crash?: 'before' | 'between' | 'after';
}

export type WorkerReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'held'; readonly token: number }
  | { readonly kind: 'wrote'; readonly token: number }
  | { readonly kind: 'hold'; readonly hold: Hold; readonly limit: number }
  | { readonly kind: 'effect'; readonly atUs: number; readonly key: string; readonly value: string }
  | {
      readonly kind: 'answer';
      readonly atUs: number;
      readonly key: string;
      readonly value: string;
      readonly replayed: boolean;
    }
  | { readonly kind: 'claimed'; readonly key: string }
  | { readonly kind: 'ended'; readonly key: string; readonly value: string; readonly isLast: boolean }
  | { readonly kind: 'done' };

const nowUs = () => Number(process.hrtime.bigint() / 1000n);
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Resolves when the parent has the report, so that an immediate crash does not lose it. */
function report(message: WorkerReport): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}

const WORK: Readonly<Record<WorkerOrder['kind'], (order: WorkerOrder, ledger: JobLedger) => Promise<void>>> = {
  lease: contend,
  holds: takeTurns,
  idempotency: workThrough,
  records: drain,
};

process.on('message', (order: WorkerOrder) => {
  WORK[order.kind](order, openLedger(order)).then(
    () => report({ kind: 'done' }),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
void report({ kind: 'ready' });

function openLedger({ tableName, skewMs = 0, losses }: WorkerOrder): JobLedger {
  const client = new DynamoDBClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    endpoint: process.env.DYNAMODB_ENDPOINT as string,
    ...(losses && { retryStrategy: retryAtOnce(8) }),
  });
  if (losses) shake(client as never, losses, createRandom(process.pid));
  return createJobLedger({ client, tableName, clock: { now: () => new Date(Date.now() + skewMs) }, log: false });
}

async function contend({ durationMs }: WorkerOrder, ledger: JobLedger): Promise<void> {
  for (;;) {
    const options = { name: 'resource', durationMs, waitMs: 60_000 };
    await withLease(ledger, options, async ({ token, signal }) => {
      await report({ kind: 'held', token });
      for (let wrote = 0; wrote < 20 && !signal.aborted; wrote += 1) {
        await sleep(25);
        if (!signal.aborted) await report({ kind: 'wrote', token });
      }
    }).catch(ignoreRefusal);
  }
}

/** Holds a lease, then a slot, for a short time each, and reports the time for which it held them. */
async function takeTurns({ durationMs, keys: [name = ''] }: WorkerOrder, ledger: JobLedger): Promise<void> {
  const holder = String(process.pid);
  const hold = async (what: string, limit: number, take: () => Promise<{ expiresAtMs: number; token?: number }>) => {
    const askedMs = Date.now();
    const taken = await take();
    const fromMs = Date.now();
    await sleep(20 + Math.random() * 60);
    const toMs = Math.min(Date.now(), taken.expiresAtMs);
    const { token } = taken;
    const told = { name: what, holder, askedMs, fromMs, toMs, ...(token !== undefined && { token }) };
    await report({ kind: 'hold', hold: told, limit });
  };
  const takeLease = async () => {
    let lease: Lease | undefined;
    await hold('lease', 1, async () => {
      lease = await ledger.acquireLease({ name, owner: holder, durationMs });
      return lease;
    });
    if (lease) await ledger.releaseLease(lease);
  };
  const takeSlot = async () => {
    let slot: Slot | undefined;
    await hold('slots', 3, async () => {
      slot = await ledger.acquireSlot({ scope: 's', subject: name, limit: 3, owner: holder, durationMs });
      return slot;
    });
    if (slot) await ledger.releaseSlot(slot);
  };
  for (;;) {
    await takeLease().catch(ignoreRefusal);
    await takeSlot().catch(ignoreRefusal);
    await sleep(Math.random() * 20);
  }
}

async function workThrough({ keys, durationMs, crash }: WorkerOrder, ledger: JobLedger): Promise<void> {
  const open = new Set(keys);
  let mayCrash = crash !== undefined;
  const crashAt = (point: WorkerOrder['crash']) => {
    if (mayCrash && crash === point) process.kill(process.pid, 'SIGKILL');
  };
  while (open.size > 0) {
    for (const key of open) {
      const options = { scope: 'work', key, inProgressMs: durationMs };
      try {
        const { value, replayed } = await runIdempotent(ledger, options, async () => {
          crashAt('before');
          const made = `${process.pid}-${Math.random()}`;
          await report({ kind: 'effect', atUs: nowUs(), key, value: made });
          crashAt('between');
          return made;
        });
        if (!replayed) crashAt('after');
        await report({ kind: 'answer', atUs: nowUs(), key, value, replayed });
        open.delete(key);
      } catch (error) {
        ignoreRefusal(error);
      }
    }
    mayCrash = mayCrash && open.size > 0;
    await sleep(20);
  }
}

/** Claims the records of a job until all have ended. */
async function drain({ keys: [jobId = ''], durationMs }: WorkerOrder, ledger: JobLedger): Promise<void> {
  for (;;) {
    try {
      const record = await ledger.claimNext({ jobId, durationMs });
      if (!record) {
        const job = await ledger.getJob({ jobId, consistent: true });
        if (job?.progress?.open === 0) return;
        await sleep(50);
        continue;
      }
      const { recordId, claim } = record;
      await report({ kind: 'claimed', key: recordId });
      await sleep(Math.random() * 30);
      const value = `${process.pid}-${record.attempts}`;
      const end = { jobId, recordId, to: 'SUCCEEDED', claimId: claim.id, result: value } as const;
      const { isLast } = await ledger.transitionRecord(end);
      await report({ kind: 'ended', key: recordId, value, isLast: isLast === true });
    } catch (error) {
      ignoreRefusal(error);
    }
  }
}

/** Ignores conflicts and failures of the store; the next round tries again. */
function ignoreRefusal(error: unknown): void {
  if (error instanceof JobLedgerError && (error.type === 'conflict' || error.retryable)) return;
  throw error;
}
