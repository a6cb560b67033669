/** One instance of a function, as a process of its own: does its work until it is killed, and tells what it sees. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createJobLedger, JobLedgerError, runIdempotent, withLease } from '@sallyport/jobs';

export interface WorkerOrder {
  readonly kind: 'lease' | 'idempotency';
  readonly tableName: string;
  readonly durationMs: number;
  /** Keys of idempotent work. */
  readonly keys: readonly string[];
  /** Where an idempotent worker crashes, once: before its effect, before its result is stored, after it. */
  readonly crash?: 'before' | 'between' | 'after';
}

export type WorkerReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'held'; readonly token: number }
  | { readonly kind: 'wrote'; readonly token: number }
  | { readonly kind: 'effect'; readonly key: string; readonly value: string }
  | { readonly kind: 'answer'; readonly key: string; readonly value: string; readonly replayed: boolean }
  | { readonly kind: 'done' };

const client = new DynamoDBClient({
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  endpoint: process.env.DYNAMODB_ENDPOINT as string,
});
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Resolves when the parent has the report, so that a crash right behind it loses nothing. */
function report(message: WorkerReport): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}

process.on('message', (order: WorkerOrder) => {
  const work = order.kind === 'lease' ? contend(order) : workThrough(order);
  work.then(
    () => report({ kind: 'done' }),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
void report({ kind: 'ready' });

async function contend({ tableName, durationMs }: WorkerOrder): Promise<void> {
  const ledger = createJobLedger({ client, tableName });
  for (;;) {
    const options = { name: 'resource', durationMs, waitMs: 60_000 };
    await withLease(ledger, options, async ({ token, signal }) => {
      await report({ kind: 'held', token });
      for (let wrote = 0; wrote < 20 && !signal.aborted; wrote += 1) {
        await sleep(25);
        if (!signal.aborted) await report({ kind: 'wrote', token });
      }
    }).catch(ignoreConflict);
  }
}

async function workThrough({ tableName, keys, durationMs, crash }: WorkerOrder): Promise<void> {
  const ledger = createJobLedger({ client, tableName });
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
          await report({ kind: 'effect', key, value: made });
          crashAt('between');
          return made;
        });
        if (!replayed) crashAt('after');
        await report({ kind: 'answer', key, value, replayed });
        open.delete(key);
      } catch (error) {
        ignoreConflict(error);
      }
    }
    mayCrash = mayCrash && open.size > 0;
    await sleep(20);
  }
}

function ignoreConflict(error: unknown): void {
  if (error instanceof JobLedgerError && error.type === 'conflict') return;
  throw error;
}
