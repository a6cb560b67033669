import { FrameworkError } from '@sallyport/core';
import { describeCopies, otherCopyText, registerCopy } from '@sallyport/core/pipeline';
import { registrationError } from '@sallyport/http/pipeline';
import { VERSION } from '../internal/version.js';
import type { NormalPrincipal } from '../principal.js';

registerCopy('@sallyport/secure', VERSION, new Error());

/** The kinds of postures, as `app.routes()` and OpenAPI documents write them. */
export type PostureKind = 'public' | 'optional' | 'authenticated' | 'authenticated_any_of' | 'internal_only';

declare const POSTURE: unique symbol;

/** Who may call an operation. Only the factories of this package make one; an object that looks like one is rejected. */
export interface Posture {
  /** Which factory made it. */
  readonly kind: PostureKind;
  /** The scopes, trimmed and without repeats; empty where the kind has none. */
  readonly scopes: readonly string[];
  /** Exists in the type only, so that an object literal is not assignable. */
  readonly [POSTURE]: true;
}

/** One alternative of an operation's `security` (OpenAPI 3.1 section 4.8.30): all of its schemes are needed. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** Everything that a kind of posture decides. The list of all kinds is `internal/kinds.ts`. */
export interface PostureDefinition {
  /** The factory's name: `Public`. */
  readonly factory: string;
  /** Whether the gate asks the principal resolver before it decides. */
  readonly asksResolver: boolean;
  /** Whether this caller may pass. `null` is a caller without credentials. */
  readonly admits: (principal: NormalPrincipal | null, scopes: readonly string[]) => boolean;
  /** Which list of `authSchemes` an OpenAPI document needs for it; `null` when it needs none. */
  readonly schemes: 'authenticated' | 'internalOnly' | null;
  /** The alternatives of `security`, from the names of those schemes and the posture's scopes. */
  readonly security: (schemes: readonly string[], scopes: readonly string[]) => readonly SecurityRequirement[];
}

const KNOWN = new WeakSet<object>();
/** Tells a posture of another copy from other objects, for the text of the error alone: it makes nothing a posture. */
const MARK = Symbol.for('sallyport.secure.posture/1');

/** Makes a posture; only the factories in this folder call it. */
export function sealPosture(kind: PostureKind, scopes: readonly string[] = []): Posture {
  const made = Object.defineProperty({ kind, scopes: Object.freeze([...scopes]) }, MARK, { value: true });
  const posture = Object.freeze(made) as Posture;
  KNOWN.add(posture);
  return posture;
}

/** Whether a value is a posture that this very copy of the package made. */
export function isPosture(value: unknown): value is Posture {
  return KNOWN.has(value as object);
}

/**
 * Rejects everything that no factory made: literals, clones, proxies, postures of a second copy of the package.
 *
 * @param place the operation as its registration names it: `GET /notes/{id}`, `Query.note`, `$connect`
 * @throws FrameworkError `framework: invalid auth posture: <place> <what is wrong and what to do>`
 */
export function assertPosture(value: unknown, place: string): asserts value is Posture {
  if (!isPosture(value)) throw registrationError('invalid auth posture', `${place} ${hintFor(value)}`);
}

/** What is wrong with a value that is no posture, and what to do. */
function hintFor(value: unknown): string {
  if (value === undefined) return 'has no posture: did you forget to call Public()?';
  // A proxy or an heir of a posture has the mark too: only where two copies are loaded it is one of the other.
  if (typeof value === 'object' && value !== null && MARK in value && describeCopies('@sallyport/secure') !== '') {
    return `has ${otherCopyText('@sallyport/secure', 'a posture that')}`;
  }
  if (typeof value !== 'function') {
    return 'has a posture that this package did not make: use Public(), Optional(), Authenticated(), AuthenticatedAnyOf() or InternalOnly()';
  }
  const isFactory = /^[A-Z]/.test(value.name);
  return isFactory
    ? `has the function ${value.name} for a posture: call it, ${value.name}()`
    : 'has a function for a posture: the posture stands behind the handler';
}

/** A placeholder for a posture that is still to be chosen. It is not assignable to any posture. */
export interface PostureNotChosen {
  /** Always `true`. */
  readonly postureNotChosen: true;
}

/**
 * The placeholder that the migration helper writes in place of a posture: the type check names each place, and at run time
 * it throws. It never chooses a posture for you.
 *
 * @throws FrameworkError `app.bad_request` `framework: posture not chosen: <place>`, always
 * @example app.get('/users/{id}', getUser, choosePosture('GET /users/{id}'));
 */
export function choosePosture(place: string): PostureNotChosen {
  throw new FrameworkError('app.bad_request', `framework: posture not chosen: ${place}`);
}
