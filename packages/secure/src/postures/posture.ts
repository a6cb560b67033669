import { FrameworkError } from '@sallyport/core';
import { describeCopies, otherCopyText, registerCopy } from '@sallyport/core/internal';
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

/** Creates a posture; only the factories in this folder call it. */
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
