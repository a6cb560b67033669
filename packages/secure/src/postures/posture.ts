import { FrameworkError } from '@sallyport/core';
import { describeCopies, otherCopyText, registerCopy } from '@sallyport/core/internal';
import { assertNoSurplus } from '@sallyport/core/options';
import { registrationError } from '@sallyport/http/internal';
import { VERSION } from '../internal/version.js';
import type { NormalPrincipal } from '../principal.js';

registerCopy('@sallyport/secure', VERSION, new Error());

/** The kinds of postures, as `app.routes()` and OpenAPI documents write them. */
export type PostureKind = 'public' | 'optional' | 'authenticated' | 'authenticated_any_of' | 'internal_only';

declare const POSTURE: unique symbol;

/** The access rule of an operation. Only the factories of this package create postures; any other object is rejected. */
export interface Posture {
  /** The kind, according to its factory. */
  readonly kind: PostureKind;
  /** The scopes, trimmed and without repeats; empty if the kind has no scopes. */
  readonly scopes: readonly string[];
  /** Exists in the type only, so that an object literal is not assignable. */
  readonly [POSTURE]: true;
}

/** One alternative of an operation's `security` (OpenAPI 3.1 section 4.8.30): all of its schemes are needed. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** The rules of a kind of posture. The list of all kinds is `internal/kinds.ts`. */
export interface PostureDefinition {
  /** The factory's name: `Public`. */
  readonly factory: string;
  /** True if the gate calls the principal resolver. */
  readonly asksResolver: boolean;
  /** True if the posture accepts this caller. `null` is a caller without credentials. */
  readonly admits: (principal: NormalPrincipal | null, scopes: readonly string[]) => boolean;
  /** The list of `authSchemes` that an OpenAPI document needs for it; `null` if it needs no list. */
  readonly schemes: 'authenticated' | 'internalOnly' | null;
  /** The alternatives of `security`, from the names of those schemes and the posture's scopes. */
  readonly security: (schemes: readonly string[], scopes: readonly string[]) => readonly SecurityRequirement[];
}

const KNOWN = new WeakSet<object>();
/** Marks postures of all copies. Used only for the error message; an object with the mark is not accepted as a posture. */
const MARK = Symbol.for('sallyport.secure.posture/1');

/** Creates a posture; only the factories below call it. */
export function sealPosture(kind: PostureKind, scopes: readonly string[] = []): Posture {
  const made = Object.defineProperty({ kind, scopes: Object.freeze([...scopes]) }, MARK, { value: true });
  const posture = Object.freeze(made) as Posture;
  KNOWN.add(posture);
  return posture;
}

/** True if a value is a posture that this copy of the package created. */
export function isPosture(value: unknown): value is Posture {
  return KNOWN.has(value as object);
}

/**
 * Rejects all values that a factory did not create: literals, clones, proxies, postures of a second copy of the package.
 *
 * @param place the operation as its registration names it: `GET /notes/{id}`, `Query.note`, `$connect`
 * @throws FrameworkError `framework: invalid auth posture: <place> <problem and solution>`
 */
export function assertPosture(value: unknown, place: string): asserts value is Posture {
  if (!isPosture(value)) throw registrationError('invalid auth posture', `${place} ${hintFor(value)}`);
}

/** The problem with a value that is not a posture, and the solution. */
function hintFor(value: unknown): string {
  if (value === undefined) return 'has no posture: did you forget to call Public()?';
  // A proxy or a derived object of a posture has the mark too: it is from another copy only if two copies are loaded.
  if (typeof value === 'object' && value !== null && MARK in value && describeCopies('@sallyport/secure') !== '') {
    return `has ${otherCopyText('@sallyport/secure', 'a posture that')}`;
  }
  if (typeof value !== 'function') {
    return 'has a posture that this package did not make: use Public(), Optional(), Authenticated(), AuthenticatedAnyOf() or InternalOnly()';
  }
  const isFactory = /^[A-Z]/.test(value.name);
  return isFactory
    ? `has the function ${value.name} for a posture: call it, ${value.name}()`
    : 'has a function for a posture: pass the posture after the handler';
}

/** A placeholder for a posture that is not chosen yet. It is not assignable to any posture. */
export interface PostureNotChosen {
  /** Always `true`. */
  readonly postureNotChosen: true;
}

/**
 * The placeholder that the migration helper writes in place of a posture: the type check reports each place, and at run time
 * it throws. It never chooses a posture for you.
 *
 * @throws FrameworkError `app.bad_request` `framework: posture not chosen: <place>`, always
 * @example app.get('/users/{id}', getUser, choosePosture('GET /users/{id}'));
 */
export function choosePosture(place: string): PostureNotChosen {
  throw new FrameworkError('app.bad_request', `framework: posture not chosen: ${place}`);
}

export const PUBLIC: PostureDefinition = {
  factory: 'Public',
  asksResolver: false,
  admits: () => true, // not read: the gate calls no resolver for this posture
  schemes: null,
  security: () => [],
};

const PUBLIC_POSTURE = sealPosture('public');

/**
 * Allows any caller. The principal resolver is not called, so `ctx.securePrincipal()` returns `null`.
 *
 * @throws FrameworkError `app.invalid_configuration` for any argument: `framework: too many arguments, expected Public()`
 * @example app.get('/health', () => json(200, { ok: true }), Public());
 */
export function Public(...surplus: readonly never[]): Posture {
  assertNoSurplus(surplus, 'Public()');
  return PUBLIC_POSTURE;
}

export const OPTIONAL: PostureDefinition = {
  factory: 'Optional',
  asksResolver: true,
  admits: () => true,
  schemes: 'authenticated',
  security: (schemes) => [...schemes.map((scheme) => ({ [scheme]: [] })), {}],
};

const OPTIONAL_POSTURE = sealPosture('optional');

/**
 * Allows any caller, with or without credentials. Wrong credentials are still rejected.
 *
 * @throws FrameworkError `app.invalid_configuration` for any argument: `framework: too many arguments, expected Optional()`
 * @example app.get('/articles', (ctx) => json(200, listArticles(ctx.authIdentity)), Optional());
 */
export function Optional(...surplus: readonly never[]): Posture {
  assertNoSurplus(surplus, 'Optional()');
  return OPTIONAL_POSTURE;
}

export const AUTHENTICATED: PostureDefinition = {
  factory: 'Authenticated',
  asksResolver: true,
  admits(principal, scopes) {
    if (principal === null) return false;
    for (const scope of scopes) if (!principal.scopes.includes(scope)) return false;
    return true;
  },
  schemes: 'authenticated',
  security: (schemes, scopes) => schemes.map((scheme) => ({ [scheme]: [...scopes] })),
};

export const AUTHENTICATED_ANY_OF: PostureDefinition = {
  factory: 'AuthenticatedAnyOf',
  asksResolver: true,
  admits(principal, scopes) {
    if (principal === null) return false;
    for (const scope of scopes) if (principal.scopes.includes(scope)) return true;
    return false;
  },
  schemes: 'authenticated',
  security: (schemes, scopes) => schemes.flatMap((scheme) => scopes.map((scope) => ({ [scheme]: [scope] }))),
};

/**
 * Allows known callers that have all of these scopes; without arguments, any known caller. Scopes are trimmed and compared
 * exactly.
 *
 * @throws FrameworkError `app.bad_request` when a scope is not a string, or when all of them are blank
 * @example app.get('/notes/{id}', getNote, Authenticated('notes:read'));
 */
export function Authenticated(...scopes: readonly string[]): Posture {
  return sealPosture('authenticated', scopes.length === 0 ? [] : requireScopes(scopes));
}

/**
 * Allows known callers that have at least one of these scopes. Scopes are trimmed and compared exactly.
 *
 * @throws FrameworkError `app.bad_request` without scopes, when a scope is not a string, or when all of them are blank
 * @example app.get('/reports', listReports, AuthenticatedAnyOf('reports:read', 'admin'));
 */
export function AuthenticatedAnyOf(...scopes: readonly string[]): Posture {
  return sealPosture('authenticated_any_of', requireScopes(scopes));
}

/** A scope that is not a string is rejected: without it the posture would admit more callers. */
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

export const INTERNAL_ONLY: PostureDefinition = {
  factory: 'InternalOnly',
  asksResolver: true,
  admits: (principal) => principal?.kind === 'internal',
  schemes: 'internalOnly',
  security: (schemes) => schemes.map((scheme) => ({ [scheme]: [] })),
};

const INTERNAL_ONLY_POSTURE = sealPosture('internal_only');

/**
 * Allows only callers of your organisation: the principal's `kind` must be `internal`.
 *
 * @throws FrameworkError `app.invalid_configuration` for any argument: `framework: too many arguments, expected InternalOnly()`
 * @example app.post('/caches/clear', clearCaches, InternalOnly());
 */
export function InternalOnly(...surplus: readonly never[]): Posture {
  assertNoSurplus(surplus, 'InternalOnly()');
  return INTERNAL_ONLY_POSTURE;
}

/** Trims scopes and drops blanks, repeats and values that are not strings; the order is kept. A string is not split. */
export function normalizeScopes(scopes: unknown): readonly string[] {
  if (!Array.isArray(scopes) || scopes.length === 0) return NO_SCOPES;
  const normal: string[] = [];
  for (const scope of scopes as readonly unknown[]) {
    const name = typeof scope === 'string' ? scope.trim() : '';
    if (name !== '' && (scopes.length > FEW || !normal.includes(name))) normal.push(name);
  }
  return scopes.length > FEW ? [...new Set(normal)] : normal;
}

/** Up to this length, searching a list is cheaper than a set. */
const FEW = 16;

const NO_SCOPES: readonly string[] = Object.freeze([]);
