import type { MultiMap } from '@sallyport/core';
import { append, toHeaderMap, toStringList } from '@sallyport/core/pipeline';

/** A header map as an event carries it. */
export type RawHeaders = Readonly<Record<string, unknown>>;

const NONE: readonly string[] = [];

/** The header maps of an event, or nothing when the field is no object. */
export function rawHeaders(value: unknown): RawHeaders | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RawHeaders) : undefined;
}

/** The values under a lower-case name in one map, as `toHeaderMap` would list them. */
export function lookupHeader(headers: RawHeaders | undefined, name: string): readonly string[] {
  if (headers === undefined) return NONE;
  let found: string | undefined;
  let more: string[] | undefined;
  for (const key in headers) {
    if (!isName(key, name) || !Object.hasOwn(headers, key)) continue;
    if (found === undefined) found = key;
    else if (more === undefined) more = [found, key];
    else more.push(key);
  }
  if (more !== undefined) return more.sort().flatMap((key) => toStringList(headers[key]));
  return found === undefined ? NONE : toStringList(headers[found]);
}

/** Whether a key is this header's name, case and outer blanks apart. */
function isName(key: string, name: string): boolean {
  if (key.length === name.length) return key === name || key.toLowerCase() === name;
  return key.length > name.length && isPadded(key) && key.trim().toLowerCase() === name;
}

function isPadded(key: string): boolean {
  return key.charCodeAt(0) <= 32 || key.charCodeAt(key.length - 1) <= 32 || key.charCodeAt(0) >= 160;
}

/** The values of a header where a multi-value map goes before a single-value one. */
export function lookupEither(
  multi: RawHeaders | undefined,
  single: RawHeaders | undefined,
  name: string,
): readonly string[] {
  const values = lookupHeader(multi, name);
  return values.length > 0 ? values : lookupHeader(single, name);
}

/** The multi-value map, then each header of the single-value map that it lacks. */
export function mergeHeaders(multi: RawHeaders | undefined, single: RawHeaders | undefined): MultiMap {
  const map = toHeaderMap(multi);
  if (!single) return map;
  const rest = toHeaderMap(single);
  for (const name of Object.keys(rest)) if (!(name in map)) append(map, name, rest[name] ?? NONE);
  return map;
}
