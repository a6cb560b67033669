import { asBuffer, invalidOption } from '@sallyport/core';

/** A DynamoDB attribute value in its JSON form; bytes are base64 text. */
export type AttributeValue =
  | { S: string }
  | { N: string }
  | { B: string }
  | { BOOL: boolean }
  | { NULL: true }
  | { L: AttributeValue[] }
  | { M: Record<string, AttributeValue> }
  | { SS: string[] }
  | { NS: string[] }
  | { BS: string[] };

/** The attributes of an item of plain values. */
export function toAttributes(item: Readonly<Record<string, unknown>>): Record<string, AttributeValue> {
  const entries = Object.entries(item).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, toAttributeValue(value)]));
}

/** @throws FrameworkError for a value that the table could not hold */
function toAttributeValue(value: unknown): AttributeValue {
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array) return { B: asBuffer(value).toString('base64') };
  if (value instanceof Set) return toSet([...value]);
  if (Array.isArray(value)) return { L: value.map(toAttributeValue) };
  switch (typeof value) {
    case 'string':
      return { S: value };
    case 'boolean':
      return { BOOL: value };
    case 'bigint':
      return { N: String(value) };
    case 'number':
      if (Number.isFinite(value)) return { N: String(value) };
      break;
    case 'object':
      if (isPlain(value)) return { M: toAttributes(value) };
  }
  throw unsupported();
}

function toSet(items: readonly unknown[]): AttributeValue {
  if (items.length === 0) throw unsupported();
  if (items.every((item) => typeof item === 'string')) return { SS: [...items] };
  if (items.every((item) => typeof item === 'number' || typeof item === 'bigint')) return { NS: items.map(String) };
  if (items.every((item) => item instanceof Uint8Array)) {
    return { BS: items.map((item) => asBuffer(item).toString('base64')) };
  }
  throw unsupported();
}

function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

const unsupported = () => invalidOption('item', 'strings, finite numbers, booleans, null, bytes, lists, sets and maps');
