import { createMap, decodeBase64 } from '@sallyport/core';
import { streamsError } from '../errors.js';
import type { AttributeValue, TableStreamRecord } from './table-stream.js';

/** Which part of a change is read: the item after it, the item before it, or its primary key. */
export type ImageOf = 'new' | 'old' | 'keys';

/** DynamoDB nests values at most this deep. */
const MAX_DEPTH = 32;

/**
 * A part of a table's change as plain values: numbers as `number`, whole numbers beyond 2^53 as `bigint`, binary as bytes, sets as
 * `Set`, maps as objects. `undefined` where the change has no such part: the stream's view type decides which images it carries.
 *
 * @throws FrameworkError `streams.invalid_record` for a value of no type that DynamoDB has
 * @example
 * events.tableStream('notes', (ctx, record) => index(tableImage<Note>(record)));
 */
export function tableImage<T = Record<string, unknown>>(
  { dynamodb }: Pick<TableStreamRecord, 'dynamodb'>,
  which: ImageOf = 'new',
): T | undefined {
  const part = { new: dynamodb?.NewImage, old: dynamodb?.OldImage, keys: dynamodb?.Keys }[which];
  return part && (mapOf(part, 0) as T);
}

function mapOf(map: Readonly<Record<string, AttributeValue>>, depth: number): Record<string, unknown> {
  const values = createMap<unknown>();
  for (const [name, value] of Object.entries(map)) values[name] = plainValue(value, depth);
  return values;
}

function plainValue(value: AttributeValue, depth: number): unknown {
  const [[type, held] = []] = Object.entries(value ?? {}) as [string, never][];
  const read = depth < MAX_DEPTH && type !== undefined && Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (!read) throw streamsError('streams.invalid_record', 'record has a value of no type that DynamoDB has');
  return read(held as never, depth + 1);
}

const READERS: Readonly<Record<string, (held: never, depth: number) => unknown>> = {
  S: (text: string) => text,
  N: numberOf,
  B: decodeBase64,
  BOOL: (flag: boolean) => flag,
  NULL: () => null,
  M: mapOf,
  L: (list: readonly AttributeValue[], depth) => list.map((value) => plainValue(value, depth)),
  SS: (texts: readonly string[]) => new Set(texts),
  NS: (texts: readonly string[]) => new Set(texts.map(numberOf)),
  BS: (texts: readonly string[]) => new Set(texts.map(decodeBase64)),
};

function numberOf(text: string): number | bigint {
  const number = Number(text);
  const isWhole = /^-?\d+$/.test(text);
  return isWhole && !Number.isSafeInteger(number) ? BigInt(text) : number;
}
