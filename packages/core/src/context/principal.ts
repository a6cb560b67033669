import { createMap } from '../request/request.js';

/** `internal` callers are the organisation's own services; everyone else is `external`. */
export type PrincipalKind = 'external' | 'internal';

/** Who calls, as a resolver states it and as `ctx.securePrincipal()` returns it (there with every field set). */
export interface SecurePrincipal {
  /** Who it is, unique within the kind and tenant: for example the subject of a token. */
  readonly identity: string;
  /** What the caller may do, as `Authenticated('notes:read')` asks for it; default none. */
  readonly scopes?: readonly string[];
  /** What else is known of the caller; plain data, copied. Default none. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Whose caller it is: of the organisation or from outside. Default `external`. */
  readonly kind?: PrincipalKind;
  /** The tenant that the caller belongs to; default none. */
  readonly tenantId?: string;
}

/** Kept beside the principals and not on them, so that no log, store or answer holds a token. */
const bearers = new WeakMap<object, string>();

/**
 * A copy (of its own members) of a principal that was resolved from a bearer token, for resolvers. Handlers that are mounted with `mountHandler`
 * get the token as `authInfo.token`; nothing else shows it.
 *
 * @example return withBearer({ identity: session.user }, token);
 */
export function withBearer<P extends SecurePrincipal>(principal: P, token: string): P {
  const copy = { ...principal };
  bearers.set(copy, token);
  return copy;
}

/** The token that a principal was resolved from, `undefined` when it was resolved from something else. */
export function bearerOf(principal: object): string | undefined {
  return bearers.get(principal);
}

/** Hands the token of one form of a principal on to another. */
export function copyBearer(from: object, to: object): void {
  const token = bearers.get(from);
  if (token !== undefined) bearers.set(to, token);
}

/** A deep copy; the claims of it have no prototype. */
export function copyPrincipal(principal: SecurePrincipal): SecurePrincipal {
  const { scopes, claims } = principal;
  return {
    ...principal,
    ...(scopes && { scopes: [...scopes] }),
    ...(claims && { claims: copyPlain(claims) as Record<string, unknown> }),
  };
}

/** What is known of who calls; a context's state is one. */
export interface Caller {
  /** The caller whom a gate let in; nothing when there is none. */
  readonly principal?: SecurePrincipal | null | undefined;
  /** The identity that an auth hook gave, where there is no principal; `''` for none. */
  readonly authIdentity: string;
  /** `''` for none. */
  readonly tenantId: string;
}

/**
 * Who calls, as one text that is different for callers who differ in kind, identity or tenant: a JSON list of the three.
 * Whatever is kept for one caller and must not reach another is kept under this text, or a digest of it. The kind is `''`
 * for callers without a principal. The issuer of a token is part of the identity.
 *
 * @example callerKey({ principal, authIdentity: '', tenantId: 't1' }) // '["external","ada","t1"]'
 */
export function callerKey({ principal, authIdentity, tenantId }: Caller): string {
  if (!principal) return JSON.stringify(['', authIdentity, tenantId]);
  return JSON.stringify([principal.kind ?? 'external', principal.identity, principal.tenantId || tenantId]);
}

/** Levels of nesting that a copy keeps; what lies deeper is left out. */
const MAX_DEPTH = 64;

/** Copies of the objects that one copy has met: `undefined` while an object is still being copied, which cuts cycles. */
type Met = Map<object, unknown>;

/**
 * A deep copy of plain data: `null`, booleans, numbers, bigints, strings, lists and plain objects. Objects of the copy have
 * no prototype, so no key of theirs is special. Functions, symbols, `undefined`, instances of classes and whatever leads
 * back to itself are left out. Every member is read once. `undefined` for a value that is not plain itself.
 */
export function copyPlain(value: unknown): unknown {
  return copyValue(value, undefined, 0);
}

function copyValue(value: unknown, met: Met | undefined, depth: number): unknown {
  if (typeof value !== 'object') return typeof value === 'function' || typeof value === 'symbol' ? undefined : value;
  if (value === null) return null;
  if (met?.has(value)) return met.get(value);
  if (depth >= MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return copyList(value, met ?? new Map(), depth);
  return isPlainObject(value) ? copyObject(value, met, depth) : undefined;
}

function copyList(list: readonly unknown[], met: Met, depth: number): unknown[] {
  met.set(list, undefined);
  const copies: unknown[] = [];
  for (const item of list) {
    const copy = copyValue(item, met, depth + 1);
    if (copy !== undefined) copies.push(copy);
  }
  met.set(list, copies);
  return copies;
}

function copyObject(source: object, outer: Met | undefined, depth: number): Record<string, unknown> {
  let met = outer;
  met?.set(source, undefined);
  const copy = createMap<unknown>();
  for (const key of Object.keys(source)) {
    const value: unknown = (source as Record<string, unknown>)[key];
    // Flat objects are the usual ones, and need no book of what was met.
    if (met === undefined && typeof value === 'object' && value !== null) met = new Map([[source, undefined]]);
    const member = copyValue(value, met, depth + 1);
    if (member !== undefined) copy[key] = member;
  }
  met?.set(source, copy);
  return copy;
}

/**
 * The same data as {@link copyPlain} takes, for keeping rather than for handing out: the outermost object is an ordinary
 * one, which is several times as fast to make where it is flat.
 */
export function snapshotPlain(source: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const snapshot: Record<string, unknown> = { ...source };
  let met: Met | undefined;
  for (const key in snapshot) {
    const value = snapshot[key];
    if (isScalar(value) || !Object.hasOwn(snapshot, key)) continue;
    const scalars = copyScalars(value);
    if (!scalars) met ??= new Map([[source, undefined]]);
    const member = scalars ?? copyValue(value, met, 1);
    if (member === undefined) delete snapshot[key];
    else snapshot[key] = member;
  }
  return snapshot;
}

/** A copy of a list that holds scalars alone, as most lists of claims do; they lead nowhere, so nothing is to be kept in mind. */
function copyScalars(value: unknown): unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const copies: unknown[] = [];
  for (const item of value as readonly unknown[]) {
    if (!isScalar(item)) return undefined;
    copies.push(item);
  }
  return copies;
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null;
}

/** Whether an object has no prototype, or one that has none itself: `Object.prototype` of any realm. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
