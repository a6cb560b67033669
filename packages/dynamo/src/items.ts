import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { createMap } from '@sallyport/core/internal';
import type { Condition, Item, Value } from './item-table.js';

/** A value in the format of DynamoDB's protocol. */
export function toAttribute(value: Value): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value instanceof Uint8Array) return { B: value };
  if (isList(value)) return { L: value.map((text) => ({ S: text })) };
  const map = createMap<AttributeValue>();
  for (const [name, text] of Object.entries(value)) map[name] = { S: text };
  return { M: map };
}

/** Converts an item to the format of DynamoDB's protocol. Omits `undefined` attributes. */
export function toAttributes(item: Item): Record<string, AttributeValue> {
  const attributes = createMap<AttributeValue>();
  for (const [name, value] of Object.entries(item)) if (value !== undefined) attributes[name] = toAttribute(value);
  return attributes;
}

/**
 * Converts an item from the format of DynamoDB's protocol. Attributes of a type that {@link Value} does not have are `undefined`.
 */
export function fromAttributes(attributes: Readonly<Record<string, AttributeValue>>): Item {
  const item = createMap<Value | undefined>();
  for (const [name, attribute] of Object.entries(attributes)) item[name] = fromAttribute(attribute);
  return item;
}

function fromAttribute({ S, N, BOOL, B, L, M }: AttributeValue): Value | undefined {
  if (S !== undefined) return S;
  if (N !== undefined) return Number(N);
  if (BOOL !== undefined) return BOOL;
  if (B !== undefined) return B;
  if (L !== undefined) return L.flatMap(({ S: text }) => text ?? []);
  if (M === undefined) return undefined;
  const map = createMap<string>();
  for (const [name, { S: text }] of Object.entries(M)) if (text !== undefined) map[name] = text;
  return map;
}

/** Size of an item in bytes as DynamoDB counts it, or a few bytes more for each value. */
export function itemSize(item: Item): number {
  let size = 0;
  for (const [name, value] of Object.entries(item)) {
    if (value !== undefined) size += Buffer.byteLength(name) + valueSize(value);
  }
  return size;
}

function valueSize(value: Value): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return 21;
  if (typeof value === 'boolean') return 1;
  if (value instanceof Uint8Array) return value.byteLength;
  const texts = isList(value) ? value : Object.entries(value).flat();
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 3);
}

function isList(value: Value): value is readonly string[] {
  return Array.isArray(value);
}

/** The TTL attribute of all tables of the framework. */
export const TTL_ATTRIBUTE = 'ttl';

const SECOND_MS = 1000;

/** Unix seconds for the TTL attribute, rounded up. */
export function ttlAt(ms: number): number {
  return Math.ceil(ms / SECOND_MS);
}

const DAY_SECONDS = 86_400;

/**
 * The TTL attribute of a row that stands for a deleted item: in the past for every clock, so that DynamoDB deletes the row for free.
 * DynamoDB does not delete items whose time is more than five years in the past
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-before-you-start.html).
 */
export function ttlOfDeleted(nowMs: number): number {
  return ttlAt(nowMs) - DAY_SECONDS;
}

/** True if an item has expired. DynamoDB deletes expired items late, within days; until then they count as absent. */
export function isPastTtl(item: Item, nowMs: number): boolean {
  const ttl = item[TTL_ATTRIBUTE];
  return typeof ttl === 'number' && ttl * SECOND_MS <= nowMs;
}

/** The condition that an item exists and has not expired. */
export function notPastTtl(nowMs: number): Condition {
  return { any: [{ absent: TTL_ATTRIBUTE }, { attribute: TTL_ATTRIBUTE, is: '>', value: secondsOf(nowMs) }] };
}

/** The condition that there is no item, or that it has expired. */
export function absentOrPastTtl(nowMs: number): Condition {
  return { any: [{ absent: 'pk' }, { attribute: TTL_ATTRIBUTE, is: '<=', value: secondsOf(nowMs) }] };
}

function secondsOf(ms: number): number {
  return Math.floor(ms / SECOND_MS);
}
