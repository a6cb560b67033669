import { type FullClock, type IdGenerator, randomIds } from '@sallyport/core';
import { fromJson } from '@sallyport/core/internal';
import { type Item, type ItemTable, itemSize, type Key, type ReadOptions, ttlAt } from '@sallyport/dynamo';
import { type ErrorEnvelope, parseEnvelope, toErrorEnvelope } from '../error-envelope.js';
import { JOB_ERRORS, type LedgerErrors } from '../errors.js';
import type { TransitionOutcome } from '../ledger/job.js';
import { ttlSeconds } from './input.js';

/** Dependencies of all operations of a ledger or an event store. */
export interface StoreParts {
  readonly store: ItemTable;
  readonly clock: FullClock;
  readonly ids: IdGenerator;
}

/**
 * The time for a request. It is read after the client is loaded, because loading on a small function takes longer than the difference
 * between clocks.
 */
export async function timeOf({ store, clock }: StoreParts): Promise<number> {
  await store.ready();
  return clock.now().getTime();
}

/**
 * Reads the rows of index items, by their partition key. A row that the index shows and the read does not find is read again,
 * consistently: it was written just before, or was deleted.
 */
export async function readAll(
  store: ItemTable,
  indexed: readonly Item[],
  options: ReadOptions,
): Promise<ReadonlyMap<string, Item>> {
  const keys = indexed.map((item): Key => ({ pk: stringAt(item, 'pk'), sk: stringAt(item, 'sk') }));
  const found = new Map<string, Item>();
  const read = async (wanted: readonly Key[], consistent: boolean) => {
    for (let index = 0; index < wanted.length; index += BATCH) {
      const items = await store.getMany(wanted.slice(index, index + BATCH), { ...options, consistent });
      for (const item of items) found.set(stringAt(item, 'pk'), item);
    }
  };
  await read(keys, options.consistent === true);
  if (options.consistent !== true)
    await read(
      keys.filter(({ pk }) => !found.has(pk)),
      true,
    );
  return found;
}

/** Creates the id of one write. It does not use the ledger's id generator, because the order of its ids is visible to applications. */
export function newWriteId(): string {
  return randomIds.newId();
}

const BATCH = 100;
const MAX_ITEM_BYTES = 350_000;

export function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** @throws JobLedgerError `too_large`; DynamoDB's limit is 409,600 bytes */
export function assertSize(item: Item, errors = JOB_ERRORS): void {
  if (itemSize(item) > MAX_ITEM_BYTES) throw errors.tooLarge(`an item must have at most ${MAX_ITEM_BYTES} bytes`);
}

export function stringAt(item: Item, name: string): string {
  const value = item[name];
  return typeof value === 'string' ? value : '';
}

export function numberOf(item: Item, name: string, otherwise = 0): number {
  const value = item[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

/** Renames attributes, and keeps only non-empty strings. */
export function textsOf<K extends string>(item: Item, names: Readonly<Record<K, string>>): { [P in K]?: string } {
  const texts: { [P in K]?: string } = {};
  for (const key of Object.keys(names) as K[]) {
    const text = stringAt(item, names[key]);
    if (text !== '') texts[key] = text;
  }
  return texts;
}

/**
 * A JSON value as text; `undefined` for `undefined`.
 *
 * @throws JobLedgerError `invalid_input` for values that JSON cannot represent: BigInt, functions, symbols, cycles, numbers that are not
 * finite, maps and sets
 */
export function toJson(name: string, value: unknown, errors: LedgerErrors): string | undefined {
  if (value === undefined) return undefined;
  try {
    return JSON.stringify(value, assertMember);
  } catch {
    throw errors.invalid(`${name} must be a JSON value`);
  }
}

function assertMember(_: string, value: unknown): unknown {
  const isLost = typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint';
  const isFiniteNumber = typeof value !== 'number' || Number.isFinite(value);
  if (isLost || !isFiniteNumber || value instanceof Map || value instanceof Set)
    throw new TypeError('not a JSON value');
  return value;
}

export const OUTCOME_INPUT = ['result', 'error', 'ttlSeconds'] as const;

/** The result or error of a transition as attributes, and the attributes to remove, so that no row has both. */
export function outcomeOf(input: TransitionOutcome, nowMs: number): { set: Item; remove: string[] } {
  if (input.result !== undefined && input.error !== undefined) {
    throw JOB_ERRORS.invalid('pass result or error, not both');
  }
  const result = toJson('result', input.result, JOB_ERRORS);
  const error = input.error === undefined ? undefined : JSON.stringify(toErrorEnvelope(input.error));
  const seconds = input.ttlSeconds === undefined ? undefined : ttlSeconds('ttlSeconds', input.ttlSeconds, JOB_ERRORS);
  return {
    set: { result, error, ttl: seconds === undefined ? undefined : ttlAt(nowMs + seconds * 1000) },
    remove: [...(result === undefined ? ['result'] : []), ...(error === undefined ? ['error'] : [])],
  };
}

/** The result or error of a row. */
export function storedOutcome(item: Item): { result?: unknown; error?: ErrorEnvelope } {
  const result = fromJson(item.result);
  const error = parseEnvelope(fromJson(item.error));
  return { ...(result !== undefined && { result }), ...(error && { error }) };
}
