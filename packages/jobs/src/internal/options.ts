import { type Clock, type Environment, type IdGenerator, type Logger, randomIds } from '@sallyport/core';
import { defineOptions, integer, kind, type ParsedOptions, parsed, text, withMethods } from '@sallyport/core/options';
import { completeClock, LOG_WANTED, parseLog } from '@sallyport/core/pipeline';
import { type Client, DynamoTable } from '@sallyport/dynamo';
import type { LedgerErrors } from '../errors.js';

/** Options that every ledger and event store has. */
export interface PartOptions {
  /** Tells the time. Default: the system's clock. */
  readonly clock?: Clock | undefined;
  /** Makes ids. Default: random UUIDs. */
  readonly ids?: IdGenerator | undefined;
  /** Gets failures that no call can throw; `false` for silence. Default: JSON lines on standard output. */
  readonly log?: Logger | false | undefined;
}

/** Options of a ledger or an event store in DynamoDB. */
export interface StoreOptions extends PartOptions {
  /** The table. Default: the environment variable. */
  readonly tableName?: string | undefined;
  /** The DynamoDB client. Default: one with the SDK's own settings, made at the first call. */
  readonly client?: Client | undefined;
  /** Environment variables. Default `process.env`. */
  readonly environment?: Environment | undefined;
  /** Milliseconds for all attempts of one request to the table, 1 to 60,000. Default 10,000. */
  readonly storeTimeoutMs?: number | undefined;
}

export const PART_OPTIONS = {
  clock: withMethods<Clock>('now'),
  ids: withMethods<IdGenerator>('newId').default(randomIds),
  log: parsed<Logger>(LOG_WANTED, (value) => parseLog(value, process.env)),
};

/** What the options of a store may be; `variable` names the table where they do not. */
export function storeOptions(variable: string) {
  return defineOptions<StoreOptions>()({
    ...PART_OPTIONS,
    tableName: text('the name of the table').orVariable(variable),
    client: withMethods<Client>('send'),
    environment: kind<Environment>('an object', (value) => typeof value === 'object' && value !== null),
    storeTimeoutMs: integer(1, 60_000, 'milliseconds').default(10_000),
  });
}

/** Clock, ids and log with their defaults. */
export function partsOf({ clock, ids, log = parseLog(undefined, process.env) }: ParsedOptions<typeof PART_OPTIONS>) {
  return { clock: completeClock(clock), ids, log };
}

/** The DynamoDB table of a ledger or an event store, with its errors, and the other parts. */
export function openStore(
  { tableName, client, storeTimeoutMs: timeoutMs, ...rest }: ReturnType<ReturnType<typeof storeOptions>['parse']>,
  errors: LedgerErrors,
) {
  const parts = partsOf(rest);
  const toError = (cause: unknown, transient: boolean) => errors.unavailable(transient, cause);
  return { ...parts, store: new DynamoTable({ tableName, client, clock: parts.clock, timeoutMs, toError }) };
}
