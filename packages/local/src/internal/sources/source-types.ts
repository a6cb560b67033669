import { SERVICES } from '../services/list.js';
import type { LocalSource, SourceType } from './source.js';

type WithSources = Extract<(typeof SERVICES)[number], { readonly sources: readonly unknown[] }>;
type AnyType = WithSources['sources'][number];
type KnownType = SourceType<LocalSource, SourceKind, SourceMember>;

/** The kinds of sources of all services. */
export type SourceKind = AnyType['kind'];

/** The members of `sallyport.json` with settings of sources. */
export type SourceMember = NonNullable<AnyType['config']>['member'];

/** The kinds of sources of all services, in the order of the services. */
export const SOURCE_TYPES = SERVICES.flatMap((service): readonly KnownType[] =>
  'sources' in service ? service.sources : [],
);

/** The kind of a name; `undefined` if no service has it. */
export function findType(kind: string): SourceType | undefined {
  return SOURCE_TYPES.find((type) => type.kind === kind);
}
