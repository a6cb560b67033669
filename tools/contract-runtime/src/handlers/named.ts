import type { JsonObject, Named } from '@sallyport/contract';

/** A name and its parameters; `undefined` for `null`, which registers no function. */
export function readNamed(named: Named): { use: string; parameters: JsonObject } | undefined {
  if (named === null) return undefined;
  if (typeof named === 'string') return { use: named, parameters: {} };
  return { use: named.use, parameters: named.with ?? {} };
}

/** The parameter `then`; default: a fixed answer. */
export function thenOf(parameters: JsonObject): Named {
  return (parameters.then as Named | undefined) ?? 'reply';
}
