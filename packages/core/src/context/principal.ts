import { createMap } from '../request/request.js';
import { otherCopy } from '../runtime/copies.js';
import { isScalar } from '../values/read.js';
import type { SecurePrincipal } from './secure-principal.js';

/** Tokens by principal. They are stored separately, so that a token never gets into a log, store or answer. */
const bearers = new WeakMap<object, string>();
/** Marks an object whose token a copy of this package stores, also of another copy; it contains no part of the token. */
export const BEARER_MARK = Symbol.for('sallyport.core.bearer/1');

/**
 * A copy (of own members only) of a principal that was resolved from a bearer token, for resolvers. Handlers mounted with `mountHandler`
 * receive the token as `authInfo.token`; it is not visible elsewhere.
 *
 * @example return withBearer({ identity: session.user }, token);
 */
export function withBearer<P extends SecurePrincipal>(principal: P, token: string): P {
  const copy = { ...principal };
  setBearer(copy, token);
  return copy;
}

function setBearer(principal: object, token: string): void {
  bearers.set(principal, token);
  Object.defineProperty(principal, BEARER_MARK, { value: true });
}

/**
 * The token that a principal was resolved from; `undefined` if it was not resolved from a token.
 *
 * @throws FrameworkError `app.internal` when another copy of this package keeps the token
 */
export function bearerOf(principal: object): string | undefined {
  const token = bearers.get(principal);
  if (token === undefined && BEARER_MARK in principal) throw otherCopy('@sallyport/core', 'the token of the principal');
  return token;
}

/** Copies the token from one principal object to another. If another copy of this package stores the token, copies only the mark. */
export function copyBearer(from: object, to: object): void {
  const token = bearers.get(from);
  if (token !== undefined) setBearer(to, token);
  else if (BEARER_MARK in from) Object.defineProperty(to, BEARER_MARK, { value: true });
}

/** A deep copy; its claims have no prototype. */
export function copyPrincipal(principal: SecurePrincipal): SecurePrincipal {
  const { scopes, claims } = principal;
  return {
    ...principal,
    ...(scopes && { scopes: [...scopes] }),
    ...(claims && { claims: copyPlain(claims) as Record<string, unknown> }),
  };
}

/** The caller's data; the state of a context implements it. */
export interface Caller {
  /** The principal that the gate accepted, if any. */
  readonly principal?: SecurePrincipal | null | undefined;
  /** The identity that an auth hook returned, if there is no principal; `''` if absent. */
  readonly authIdentity: string;
  /** `''` if absent. */
  readonly tenantId: string;
}

/**
 * A unique key of a caller: a JSON list of kind, identity and tenant. Use it, or a digest of it, as the key for data of one
 * caller that must not reach another. The kind is `''` for callers without a principal. The issuer of a token is part of
 * the identity.
 *
 * @example callerKey({ principal, authIdentity: '', tenantId: 't1' }) // '["external","ada","t1"]'
 */
export function callerKey({ principal, authIdentity, tenantId }: Caller): string {
  if (!principal) return JSON.stringify(['', authIdentity, tenantId]);
  return JSON.stringify([principal.kind ?? 'external', principal.identity, principal.tenantId || tenantId]);
}

/** Levels of nesting that a copy keeps; deeper levels are left out. */
const MAX_DEPTH = 64;

/** Copies of the objects found so far; `undefined` while an object is being copied, which ends cycles. */
type Met = Map<object, unknown>;

/**
 * A deep copy of plain data: `null`, booleans, numbers, bigints, strings, lists and plain objects. Objects of the copy have
 * no prototype, so none of their keys is special. Functions, symbols, `undefined`, instances of classes and cycles are left
 * out. Every member is read once. Returns `undefined` for a value that is not plain.
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
    // Most objects are flat and cannot contain cycles.
    if (met === undefined && typeof value === 'object' && value !== null) met = new Map([[source, undefined]]);
    const member = copyValue(value, met, depth + 1);
    if (member !== undefined) copy[key] = member;
  }
  met?.set(source, copy);
  return copy;
}

/**
 * Like {@link copyPlain}, for internal storage: the outermost object is an ordinary one, which is several times as fast to
 * create if it is flat.
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

/** A copy of a list of scalars, as most lists of claims are; it cannot contain cycles. */
function copyScalars(value: unknown): unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const copies: unknown[] = [];
  for (const item of value as readonly unknown[]) {
    if (!isScalar(item)) return undefined;
    copies.push(item);
  }
  return copies;
}

/** True if an object has no prototype, or a prototype without a prototype: `Object.prototype` of any realm. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
