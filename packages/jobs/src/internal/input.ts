import { type Clock, type Environment, type IdGenerator, type Logger, randomIds } from '@sallyport/core';
import { completeClock, createMap, LOG_WANTED, parseLog } from '@sallyport/core/internal';
import { integer, kind, type ParsedOptions, parsed, text, withMethods } from '@sallyport/core/options';
import { type Client, DynamoTable } from '@sallyport/dynamo';
import { JOB_ERRORS, type LedgerErrors } from '../errors.js';

/** Checks of the callers' arguments. Each throws JobLedgerError `invalid_input`. */

const MAX_METADATA_ENTRIES = 32;
const MAX_METADATA_BYTES = 4096;
/** A hundred years. */
export const MAX_TTL_SECONDS = 3_155_760_000;
const MAX_ID_BYTES = 256;
/** C0, DEL and C1. */
const CONTROL = /\p{Cc}/u;
const COLD_TIMEOUT_MS = 5000;
const FINGERPRINT = /^[0-9a-f]{64}$/;

/** Accepts only known keys: a misspelt `expectedVersion` must not be ignored. */
export function assertInput(input: unknown, known: readonly string[], errors: LedgerErrors): void {
  if (typeof input !== 'object' || input === null) throw errors.invalid('input must be an object');
  for (const key of Object.keys(input)) if (!known.includes(key)) throw errors.invalid(`unknown input "${key}"`);
}

export function whole(name: string, value: unknown, least: number, most: number, errors: LedgerErrors): number {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  throw errors.invalid(`${name} must be a whole number from ${least} to ${most}`);
}

export function ttlSeconds(name: string, value: unknown, errors: LedgerErrors): number {
  return whole(name, value, 1, MAX_TTL_SECONDS, errors);
}

export function oneOf<T extends string>(name: string, value: unknown, allowed: readonly T[], errors: LedgerErrors): T {
  if ((allowed as readonly unknown[]).includes(value)) return value as T;
  throw errors.invalid(`${name} must be one of ${allowed.join(', ')}`);
}

export function flag(name: string, value: unknown, errors: LedgerErrors): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true;
  throw errors.invalid(`${name} must be true or false`);
}

export function isoTime(name: string, value: unknown, errors: LedgerErrors): string {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw errors.invalid(`${name} must be an ISO 8601 time`);
  return new Date(time).toISOString();
}

export function textMap(name: string, value: unknown, errors: LedgerErrors): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw errors.invalid(`${name} must be a map`);
  const entries = Object.entries(value);
  if (entries.length > MAX_METADATA_ENTRIES)
    throw errors.invalid(`${name} must have at most ${MAX_METADATA_ENTRIES} entries`);
  let bytes = 0;
  const copy = createMap<string>();
  for (const [key, text] of entries) {
    if (key === '' || typeof text !== 'string') throw errors.invalid(`${name} must map names to strings`);
    if (key === '__proto__') throw errors.invalid(`${name} must not have an entry "__proto__"`);
    bytes += Buffer.byteLength(key) + Buffer.byteLength(text);
    copy[key] = text;
  }
  if (bytes > MAX_METADATA_BYTES) throw errors.tooLarge(`${name} must have at most ${MAX_METADATA_BYTES} bytes`);
  return copy;
}

export function fingerprintOf(value: unknown, errors: LedgerErrors): string {
  if (typeof value === 'string' && FINGERPRINT.test(value)) return value;
  throw errors.invalid('fingerprint must be 64 lower-case hex digits of a SHA-256');
}

/** Checks that a list does not repeat a value. */
export function distinct(name: string, values: readonly unknown[], errors: LedgerErrors): void {
  if (new Set(values).size < values.length) throw errors.invalid(`${name} must not repeat`);
}

/** @throws JobLedgerError `invalid_input` for a value that is not a string of 1 to 256 bytes without control characters */
export function assertId(name: string, value: unknown, errors: LedgerErrors): asserts value is string {
  assertText(name, value, errors);
  if (Buffer.byteLength(value) > MAX_ID_BYTES) throw errors.invalid(`${name} must be at most ${MAX_ID_BYTES} bytes`);
}

/** @throws JobLedgerError `invalid_input` for a value that is not a non-empty string without control characters */
export function assertText(name: string, value: unknown, errors: LedgerErrors): asserts value is string {
  if (typeof value !== 'string' || value === '') throw errors.invalid(`${name} must be a non-empty string`);
  if (CONTROL.test(value)) throw errors.invalid(`${name} must not contain control characters`);
  if (!value.isWellFormed()) throw errors.invalid(`${name} must be well-formed Unicode`);
}

/** An option that is an id of the ledger. */
export const idOption = parsed('a string of 1 to 256 bytes without control characters', (value, name) => {
  assertId(name, value, JOB_ERRORS);
  return value;
});

/** An option that is a string of any length. */
export const textOption = parsed('a non-empty string without control characters', (value, name) => {
  assertText(name, value, JOB_ERRORS);
  return value;
});

/** An option that aborts a call. */
export const signalOption = withMethods<AbortSignal>('addEventListener', 'removeEventListener', 'throwIfAborted');

/** Options of all ledgers and event stores. */
export interface PartOptions {
  /** Time source. Default: the system's clock. */
  readonly clock?: Clock | undefined;
  /** Creates ids. Default: random UUIDs. */
  readonly ids?: IdGenerator | undefined;
  /** Logs failures that no call can throw; `false` disables it. Default: JSON lines on standard output. */
  readonly log?: Logger | false | undefined;
}

/** Options of all ledgers. */
export interface LedgerPartOptions extends PartOptions {
  /**
   * Number of completed idempotency keys that this instance caches, 0 to 100,000, so that a duplicate needs no request. Only results of
   * at most 4 KB are cached. Default 0.
   */
  readonly completedKeys?: number | undefined;
}

/** Options of a ledger or an event store in DynamoDB. */
export interface StoreOptions extends PartOptions {
  /** The table. Default: the environment variable. */
  readonly tableName?: string | undefined;
  /** The DynamoDB client. Default: a client with the SDK's default settings, created at the first call. */
  readonly client?: Client | undefined;
  /** Environment variables. Default `process.env`. */
  readonly environment?: Environment | undefined;
  /** Timeout in milliseconds for all attempts of one request to the table, 1 to 60,000. Default 10,000. */
  readonly storeTimeoutMs?: number | undefined;
  /**
   * Timeout in milliseconds for all attempts of one request before the first response of the table, 1 to 60,000. A cold environment
   * opens its connection then. At least `storeTimeoutMs`. Default: the larger of `storeTimeoutMs` and 5,000.
   */
  readonly coldTimeoutMs?: number | undefined;
}

export const PART_OPTIONS = {
  clock: withMethods<Clock>('now'),
  ids: withMethods<IdGenerator>('newId').default(randomIds),
  log: parsed<Logger>(LOG_WANTED, (value) => parseLog(value, process.env)),
};

/** The option `completedKeys`. */
export const completedKeysOption = integer(0, 100_000).default(0);

/** Validators and defaults for {@link StoreOptions}. `variable` contains the table's name if the option is absent. */
export function storeKinds(variable: string) {
  return {
    ...PART_OPTIONS,
    tableName: text('the name of the table').orVariable(variable),
    client: withMethods<Client>('send'),
    environment: kind<Environment>('an object', (value) => typeof value === 'object' && value !== null),
    storeTimeoutMs: integer(1, 60_000, 'milliseconds').default(10_000),
    coldTimeoutMs: integer(1, 60_000, 'milliseconds'),
  };
}

/** Clock, ids and log with their defaults. */
export function partsOf({ clock, ids, log = parseLog(undefined, process.env) }: ParsedOptions<typeof PART_OPTIONS>) {
  return { clock: completeClock(clock), ids, log };
}

type ParsedStore = ParsedOptions<ReturnType<typeof storeKinds>>;

/** The DynamoDB table of a ledger or an event store, with its errors, and the other parts. */
export function openStore(
  { tableName, client, storeTimeoutMs: timeoutMs, coldTimeoutMs = COLD_TIMEOUT_MS, ...rest }: ParsedStore,
  errors: LedgerErrors,
) {
  const parts = partsOf(rest);
  const toError = (cause: unknown, transient: boolean) => errors.unavailable(transient, cause);
  const table = { tableName, client, clock: parts.clock, timeoutMs, coldTimeoutMs, toError };
  return { ...parts, store: new DynamoTable(table) };
}
