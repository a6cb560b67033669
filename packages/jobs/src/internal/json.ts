import type { Value } from '@sallyport/dynamo';
import type { LedgerErrors } from './errors-of.js';

/**
 * A JSON value as text, as it is.
 *
 * @returns `undefined` for `undefined`: there is no result
 * @throws JobLedgerError `invalid_input` for what JSON cannot say: BigInt, functions, symbols, cycles, numbers that are not
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
  if (isLost || !isFiniteNumber || value instanceof Map || value instanceof Set) throw new TypeError('no JSON value');
  return value;
}

/** The value of stored text; `undefined` where there is none, or where somebody else wrote what is no JSON. */
export function fromJson(text: Value | undefined): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** JSON text in one form, whatever the order of keys was. */
export function canonicalJson(text: string): string {
  return JSON.stringify(sorted(JSON.parse(text)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.keys(value)
    .sort()
    .map((key) => [key, sorted((value as Record<string, unknown>)[key])] as const);
  return Object.fromEntries(entries);
}
