import type { MultiMap } from '@sallyport/core';

/** Adds names to `vary` (RFC 9110 section 12.5.5): unique, sorted, lower case, in one value; `*` stays alone. */
export function addVary(headers: MultiMap, ...names: readonly string[]): void {
  const present = (headers.vary ?? []).flatMap((value) => value.split(','));
  const all = new Set([...present, ...names].map((name) => name.trim().toLowerCase()).filter((name) => name !== ''));
  headers.vary = [all.has('*') ? '*' : [...all].sort().join(', ')];
}
