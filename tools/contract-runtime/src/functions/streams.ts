import { Unsupported } from '../unsupported.js';

/** Calls one of the helpers of `streams` by name. */
export async function streamsFunction(name: string, ...args: readonly unknown[]): Promise<unknown> {
  return callExport(await import('@sallyport/streams'), name, ...args);
}

/** Calls an export of a package by name; a package without it does not support the fixture. */
export function callExport(module: object, name: string, ...args: readonly unknown[]): unknown {
  const exported = (module as Record<string, unknown>)[name];
  if (typeof exported !== 'function') throw new Unsupported(`nothing exports ${name}`);
  return exported(...args);
}
