import type { Metadata, QueryHit } from '../store.js';

/**
 * Converts a number in an answer. If a double cannot represent the JSON number exactly, the AWS client returns a BigInt, or an
 * object with the digits in `string`.
 */
export function toNumber(value: unknown): number {
  if (typeof value === 'object' && value !== null) return Number((value as { readonly string?: unknown }).string);
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : Number.NaN;
}

/** Metadata of an answer; `undefined` if absent. */
export function toMetadata(metadata: unknown): Metadata | undefined {
  const entries = Object.entries((metadata ?? {}) as Record<string, unknown>);
  if (entries.length === 0) return undefined;
  return Object.fromEntries(
    entries.map(([key, value]) => [key, Array.isArray(value) ? value.map(toValue) : toValue(value)]),
  ) as Metadata;
}

function toValue(value: unknown): unknown {
  const isExact = typeof value === 'object' && value !== null && 'string' in value;
  return typeof value === 'bigint' || isExact ? toNumber(value) : value;
}

/** A hit in an answer; `undefined` for a hit without a distance. */
export function toHit({ key = '', distance, metadata }: WireVector): QueryHit | undefined {
  const measured = toNumber(distance);
  if (Number.isNaN(measured)) return undefined;
  const copy = toMetadata(metadata);
  return { key, distance: measured, ...(copy && { metadata: copy }) };
}

/** A vector of an answer. */
export interface WireVector {
  readonly key?: string;
  readonly data?: { readonly float32?: readonly unknown[] };
  readonly distance?: unknown;
  readonly metadata?: unknown;
}
