import { type OptionKind, withMethods } from '@sallyport/core/options';

/** A key in its namespace. */
export interface LedgerKey {
  readonly scope: string;
  readonly key: string;
}

/** The right to complete a key. */
export interface LedgerHandle extends LedgerKey {
  readonly owner: string;
}

/** The record of a key. */
export interface LedgerRecord {
  readonly status: 'IN_PROGRESS' | 'COMPLETED';
  readonly executionId?: string;
  readonly result?: unknown;
  readonly resultOmitted?: boolean;
}

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The used methods of the `JobLedger` of `@sallyport/jobs`. */
export interface DurableLedger {
  /** Acquires a key, or returns its state. */
  beginIdempotency(
    input: LedgerKey & {
      readonly inProgressMs: number;
      readonly executionId: string;
      readonly ttlSeconds: number;
    },
    options?: CallOptions,
  ): Promise<
    | { readonly outcome: 'created'; readonly handle: LedgerHandle }
    | { readonly outcome: 'already_in_progress' }
    | { readonly outcome: 'already_completed'; readonly record: LedgerRecord }
  >;
  /** Stores the result of a key. */
  completeIdempotency(
    handle: LedgerHandle,
    outcome: { readonly result: unknown; readonly resultTtlSeconds: number; readonly writeId: string },
    options?: CallOptions,
  ): Promise<void>;
  /** Releases a key. */
  abandonIdempotency(handle: LedgerHandle, options?: CallOptions): Promise<void>;
  /** Reads the record of a key; `undefined` if absent. */
  getIdempotencyRecord(input: LedgerKey, options?: CallOptions): Promise<LedgerRecord | undefined>;
}

/** The time after which a write that was never completed can be made by another caller. */
const WRITE_MS = 10_000;

/**
 * Writes a value once; the first value is kept. A repeated call with the same `writer` is the same write.
 *
 * @returns the stored value; `undefined` while another caller writes
 */
export async function writeOnce(
  ledger: DurableLedger,
  key: LedgerKey,
  value: unknown,
  { writer, keepSeconds, signal }: { readonly writer: string; readonly keepSeconds: number } & CallOptions,
): Promise<{ readonly isNew: boolean; readonly value: unknown } | undefined> {
  const input = { ...key, inProgressMs: WRITE_MS, executionId: writer, ttlSeconds: keepSeconds };
  const start = await ledger.beginIdempotency(input, { signal });
  if (start.outcome === 'already_in_progress') return undefined;
  if (start.outcome === 'already_completed') return { isNew: false, value: start.record.result };
  const outcome = { result: value, resultTtlSeconds: keepSeconds, writeId: writer };
  await ledger.completeIdempotency(start.handle, outcome, { signal });
  return { isNew: true, value };
}

/** The value of a key; `undefined` if it was not written. */
export async function readOnce(
  ledger: DurableLedger,
  key: LedgerKey,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const record = await ledger.getIdempotencyRecord(key, { signal });
  return record?.status === 'COMPLETED' ? record.result : undefined;
}

/** A ledger as an option. */
export function ledgerOption(): OptionKind<DurableLedger> {
  return withMethods<DurableLedger>(
    'beginIdempotency',
    'completeIdempotency',
    'abandonIdempotency',
    'getIdempotencyRecord',
  );
}
