import type { Surface } from '@sallyport/core';
import { CATALOGUE, type CatalogueEntry, type SampleHandler } from '@sallyport/triggers/catalogue';

const ALL: readonly CatalogueEntry[] = Object.values(CATALOGUE);

/** Makes a surface with one handler under each name of its sample. */
export function surfaceOf({ sample }: CatalogueEntry, handler: SampleHandler): Surface {
  return sample.register(sample.names.map((name) => [name, handler]));
}

/** Every surface of the package with a handler for its sample events; `ran` is called for each call. */
export const SURFACES: Readonly<Record<string, (ran: () => undefined) => Surface>> = Object.fromEntries(
  ALL.map((entry) => [entry.kind, (ran) => surfaceOf(entry, (() => ran() ?? entry.sample.result) as SampleHandler)]),
);

/** The sample events, by kind. */
export const EVENTS: readonly [string, object][] = ALL.flatMap(({ kind, sample }) =>
  sample.events.map(([event]): [string, object] => [kind, event]),
);

/** The natural keys of these events, in the same order. */
export const KEYS: readonly (string | undefined)[] = ALL.flatMap(({ sample }) => sample.events.map(([, key]) => key));
