import { FrameworkError } from '@sallyport/core';
import { assertNoSurplus } from '@sallyport/core/pipeline';
import { registrationError } from '@sallyport/http/pipeline';
import { normalizeScopes } from '../scopes.js';

/** How a posture is stored, listed and described to other runtimes. */
export type PostureKind = 'public' | 'optional' | 'authenticated' | 'authenticated_any_of' | 'internal_only';

declare const POSTURE: unique symbol;

/** Who may call an operation. Only the factories of this module make one; nothing else is taken for one. */
export interface Posture {
  readonly kind: PostureKind;
  /** In normal form; empty where the kind has none. */
  readonly scopes: readonly string[];
  /** In the type alone, so that a literal is not assignable. */
  readonly [POSTURE]: true;
}

const KNOWN = new WeakSet<object>();
const NO_SCOPES: readonly string[] = [];

const PUBLIC = seal('public', NO_SCOPES);
const OPTIONAL = seal('optional', NO_SCOPES);
const INTERNAL_ONLY = seal('internal_only', NO_SCOPES);

/**
 * Everybody; the principal resolver is not even asked.
 *
 * @throws FrameworkError `framework: too many arguments, expected Public()`
 */
export function Public(...surplus: readonly never[]): Posture {
  assertNoSurplus(surplus, 'Public()');
  return PUBLIC;
}

/**
 * Everybody, known or not; credentials that are wrong are refused all the same.
 *
 * @throws FrameworkError `framework: too many arguments, expected Optional()`
 */
export function Optional(...surplus: readonly never[]): Posture {
  assertNoSurplus(surplus, 'Optional()');
  return OPTIONAL;
}

/**
 * Callers of the organisation's own, whose principal says `kind: 'internal'`.
 *
 * @throws FrameworkError `framework: too many arguments, expected InternalOnly()`
 */
export function InternalOnly(...surplus: readonly never[]): Posture {
  assertNoSurplus(surplus, 'InternalOnly()');
  return INTERNAL_ONLY;
}

/**
 * Known callers who have all of the scopes; any known caller when none is listed.
 *
 * @throws FrameworkError `framework: authenticated scopes normalize to empty`
 * @example app.get('/notes/{id}', getNote, Authenticated('notes:read'));
 */
export function Authenticated(...scopes: readonly string[]): Posture {
  return seal('authenticated', scopes.length === 0 ? NO_SCOPES : requireScopes(scopes));
}

/**
 * Known callers who have at least one of the scopes.
 *
 * @throws FrameworkError `framework: authenticated scopes normalize to empty`
 * @example app.get('/reports', listReports, AuthenticatedAnyOf('reports:read', 'admin'));
 */
export function AuthenticatedAnyOf(...scopes: readonly string[]): Posture {
  return seal('authenticated_any_of', requireScopes(scopes));
}

/** Whether a value is a posture that this very copy of the package made. */
export function isPosture(value: unknown): value is Posture {
  return typeof value === 'object' && value !== null && KNOWN.has(value);
}

/**
 * Refuses everything that no factory made: literals, clones, proxies, postures of a second copy of the package.
 *
 * @param place the operation as its registration names it: `GET /notes/{id}`, `Query.note`, `$connect`
 * @throws FrameworkError `framework: invalid auth posture: <place>`
 */
export function assertPosture(value: unknown, place: string): asserts value is Posture {
  if (!isPosture(value)) throw registrationError('invalid auth posture', place);
}

const FACTORY_NAMES: Readonly<Record<PostureKind, string>> = {
  public: 'Public',
  optional: 'Optional',
  authenticated: 'Authenticated',
  authenticated_any_of: 'AuthenticatedAnyOf',
  internal_only: 'InternalOnly',
};

/** A posture as its registration writes it, `Authenticated(notes:read)`; `null` for anything else. */
export function describePosture(value: unknown): string | null {
  if (!isPosture(value)) return null;
  return `${FACTORY_NAMES[value.kind]}(${value.scopes.join(', ')})`;
}

function seal(kind: PostureKind, scopes: readonly string[]): Posture {
  const posture = Object.freeze({ kind, scopes: Object.freeze([...scopes]) }) as Posture;
  KNOWN.add(posture);
  return posture;
}

/** A scope that is no text would loosen the posture if it were dropped. */
function requireScopes(scopes: readonly unknown[]): readonly string[] {
  if (scopes.some((scope) => typeof scope !== 'string')) {
    throw new FrameworkError('app.bad_request', 'framework: authenticated scopes must be strings');
  }
  const normal = normalizeScopes(scopes);
  if (normal.length === 0) {
    throw new FrameworkError('app.bad_request', 'framework: authenticated scopes normalize to empty');
  }
  return normal;
}
