import { defineOptions, withMethods } from '@sallyport/core/options';
import { placeDigest } from '../internal/identity.js';
import { type DurableLedger, type LedgerKey, ledgerOption, readOnce, writeOnce } from '../internal/write-once.js';
import { MAX_VALUE_BYTES } from '../start/callbacks.js';
import { invalidInput } from '../start/errors.js';
import { requireText, toPayload } from '../start/internal/json.js';
import type { Durable } from '../types.js';
import { KEEP_SECONDS } from './internal/mailbox.js';

/** Options of {@link status}. */
export interface ExecutionStatusOptions {
  /** `createJobLedger()` of `@sallyport/jobs`. */
  readonly ledger: DurableLedger;
}

/** Options of {@link queryExecution}. */
export interface QueryOptions extends ExecutionStatusOptions {
  /** Stops the call, for example `ctx.signal`. */
  readonly signal?: AbortSignal | undefined;
}

const STATUS_OPTIONS = /* @__PURE__ */ defineOptions<ExecutionStatusOptions>()(
  { ledger: /* @__PURE__ */ ledgerOption().required() },
  { fail: invalidInput },
);
const QUERY_OPTIONS = /* @__PURE__ */ defineOptions<QueryOptions>()(
  {
    ledger: /* @__PURE__ */ ledgerOption().required(),
    signal: /* @__PURE__ */ withMethods<AbortSignal>('addEventListener'),
  },
  { fail: invalidInput },
);

/** The newest status of an execution. */
export interface StatusRow {
  /** The value that the handler has written. */
  readonly value: unknown;
  /** The time at which it was written, ISO 8601. */
  readonly at: string;
}

const MAX_ARN = 1024;
/** An execution has fewer operations. */
const MAX_ROWS = 4096;

/** The number of the newest row of a context. */
const ROWS: unique symbol = /* @__PURE__ */ Symbol.for('sallyport.durable.status-rows/1') as never;

interface Counted {
  [ROWS]?: number;
}

/**
 * Writes the status of the execution, which `queryExecution` reads. It is one step. Outside an execution nothing is written. Write the status
 * with the context of the handler, not with one of `map`.
 *
 * @param value at most 256 KiB of JSON
 * @throws ExecutionServiceError `durable.invalid_input`, `durable.too_large`
 * @example await status(ctx, { packed: 3, of: 7 }, { ledger });
 */
export async function status(ctx: Durable, value: unknown, options: ExecutionStatusOptions): Promise<void> {
  const { ledger } = STATUS_OPTIONS.parse(options);
  const { execution } = ctx;
  const text = toPayload(value, 'a status', MAX_VALUE_BYTES).toString('utf8');
  if (!execution) return;
  const counted = ctx as Counted;
  const number = (counted[ROWS] ?? 0) + 1;
  counted[ROWS] = number;
  await ctx.step(`framework status ${number}`, async ({ signal, now, idempotencyKey: writer }) => {
    const row: StatusRow = { value: JSON.parse(text) as unknown, at: now().toISOString() };
    await writeOnce(ledger, rowKey(execution.arn, number), row, { writer, keepSeconds: KEEP_SECONDS, signal });
  });
}

/**
 * Reads the newest status that an execution has written with `status`, for 14 days, even if it has ended; `undefined` if it has written none.
 * Check first that the caller may read it: the ARN is not a secret.
 *
 * @throws ExecutionServiceError `durable.invalid_input`
 * @example const row = await queryExecution(arn, { ledger, signal: ctx.signal });
 */
export async function queryExecution(arn: string, options: QueryOptions): Promise<StatusRow | undefined> {
  const { ledger, signal } = QUERY_OPTIONS.parse(options);
  requireText(arn, 'the ARN of an execution', MAX_ARN);
  const read = async (number: number) => (await readOnce(ledger, rowKey(arn, number), signal)) as StatusRow | undefined;
  let newest: StatusRow | undefined;
  let known = 0;
  let missing = 1;
  for (; missing <= MAX_ROWS; missing *= 2) {
    const row = await read(missing);
    if (row === undefined) break;
    [newest, known] = [row, missing];
  }
  while (missing - known > 1) {
    const middle = Math.floor((known + missing) / 2);
    const row = await read(middle);
    if (row === undefined) missing = middle;
    else [newest, known] = [row, middle];
  }
  return newest;
}

function rowKey(arn: string, number: number): LedgerKey {
  return { scope: 'durable-status', key: placeDigest(arn, number) };
}
