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

/** The Lambda context of these events: the ARN has the alias of a kind that only an alias selects. */
export function contextOf(kind: string): { readonly invokedFunctionArn: string } {
  const alias = ALL.find((entry) => entry.kind === kind)?.sample.alias;
  const arn = 'arn:aws:lambda:us-east-1:123456789012:function:home';
  return { invokedFunctionArn: alias === undefined ? arn : `${arn}:${alias}` };
}

/** The natural keys of these events, in the same order. */
export const KEYS: readonly (string | undefined)[] = ALL.flatMap(({ sample }) => sample.events.map(([, key]) => key));
