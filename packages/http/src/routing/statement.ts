import type { StandardSchema } from '@sallyport/core';
import { boolean, isStandardSchema, kind, text } from '@sallyport/core/options';

/** Facts about a route for its callers: contracts, documents and clients state them; requests do not depend on them. */
export interface RouteStatement {
  /** One line about the route. */
  readonly summary?: string;
  /** The route reads `idempotency-key`: callers send a key, so that they can repeat the request. Default false. */
  readonly idempotency?: boolean;
  /** A PUT, DELETE, PATCH or POST that has the same effect if it is repeated unchanged. Default false. */
  readonly repeatable?: boolean;
  /** The data of its server-sent events, by the event's type. */
  readonly events?: Readonly<Record<string, StandardSchema>>;
}

/** A statement after its check: members can be `undefined`. */
export type CheckedStatement = { readonly [K in keyof RouteStatement]: RouteStatement[K] | undefined };

/** Schemas by name. */
export const SCHEMA_MAP = /* @__PURE__ */ kind<Readonly<Record<string, StandardSchema>>>(
  'an object of Standard Schemas (version 1)',
  (value) => typeof value === 'object' && value !== null && Object.values(value as object).every(isStandardSchema),
);

/** Validators for {@link RouteStatement}. */
export const STATEMENT_KINDS = {
  summary: /* @__PURE__ */ text('one line'),
  idempotency: boolean,
  repeatable: boolean,
  events: SCHEMA_MAP,
};
