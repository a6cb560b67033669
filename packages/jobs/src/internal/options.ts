import {
  assertKnownOptions,
  type Clock,
  completeClock,
  type Environment,
  type IdGenerator,
  invalidOption,
  type Logger,
  randomIds,
} from '@sallyport/core';
import { parseLog } from '@sallyport/core/pipeline';
import type { Client } from '@sallyport/dynamo';

/** What the ledger and the event store share. */
export interface PartOptions {
  readonly clock?: Clock | undefined;
  /** Random UUIDs. */
  readonly ids?: IdGenerator | undefined;
  /** `false` for silence. Else JSON lines on standard output. */
  readonly log?: Logger | false | undefined;
}

export interface StoreOptions extends PartOptions {
  /** Else the environment variable. */
  readonly tableName?: string | undefined;
  /** Else the SDK's own, made at the first call. */
  readonly client?: Client | undefined;
  /** `process.env`. */
  readonly environment?: Environment | undefined;
  /** Milliseconds for all attempts of one request to the table, 1 to 60,000; 10,000. */
  readonly storeTimeoutMs?: number | undefined;
}

export const PARTS: readonly string[] = ['clock', 'ids', 'log'];
const OPTIONS = [...PARTS, 'tableName', 'client', 'environment', 'storeTimeoutMs'];
const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 60_000;

/** @throws FrameworkError `app.invalid_configuration` */
export function parseParts(options: PartOptions, known: readonly string[] = PARTS) {
  if (typeof options !== 'object' || options === null) throw invalidOption('options', 'an object');
  assertKnownOptions(options, known);
  assertMember('clock', options.clock, 'now');
  assertMember('ids', options.ids, 'newId');
  const { clock, ids = randomIds, log } = options;
  return { clock: completeClock(clock), ids, log: parseLog(log, process.env) };
}

/** @throws FrameworkError `app.invalid_configuration` */
export function parseStoreOptions(options: StoreOptions, variable: string) {
  const parts = parseParts(options, OPTIONS);
  const { client, storeTimeoutMs: timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  assertMember('client', client, 'send');
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS) {
    throw invalidOption('storeTimeoutMs', `a whole number from 1 to ${MAX_TIMEOUT_MS}`);
  }
  return { ...parts, tableName: tableNameOf(options, variable), client, timeoutMs };
}

function tableNameOf({ tableName, environment = process.env }: StoreOptions, variable: string): string {
  const name: unknown = tableName ?? environment[variable];
  if (typeof name === 'string' && name.trim() !== '') return name.trim();
  throw invalidOption('tableName', `the name of the table, or ${variable} must be set`);
}

function assertMember(option: string, value: unknown, member: string): void {
  if (value === undefined) return;
  const isObject = typeof value === 'object' && value !== null;
  if (!isObject || typeof (value as Record<string, unknown>)[member] !== 'function') {
    throw invalidOption(option, `an object with the function "${member}"`);
  }
}
