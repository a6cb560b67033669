import { invalidOption } from '@sallyport/core';
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import type { JwtSettings, KeyFetch } from '../options.js';
import { type FindKey, RemoteKeys } from './remote-keys.js';

/** The issuer's keys could not be had; says nothing of the token. */
export class KeysUnavailable extends Error {}

/** What finds the key of a token's header at a time. */
export type KeySource = (now: Date) => JWTVerifyGetKey;

/** One key set per URL and process, and per way to fetch it. Keys are public; nothing of an invocation is in here. */
const REMOTE = new WeakMap<KeyFetch, Map<string, RemoteKeys>>();
const platformFetch: KeyFetch = (url, init) => fetch(url, init);

/** A `kid` that nobody knows is the token's fault; a set that cannot be had is not. */
export function createKeySource(settings: JwtSettings): KeySource {
  if (settings.jwksUri === undefined) {
    const find = localKeys(settings);
    return () => (header, token) => find(header, token).catch(toUnavailable);
  }
  const keys = remoteKeys(settings.jwksUri, settings.fetch ?? platformFetch);
  return (now) => (header, token) => keys.find(now.getTime(), header, token).catch(toUnavailable);
}

function toUnavailable(error: unknown): never {
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
  throw new KeysUnavailable('key set is not available', { cause: error });
}

function localKeys({ jwks }: JwtSettings): FindKey {
  try {
    return createLocalJWKSet(structuredClone(jwks) as NonNullable<typeof jwks>);
  } catch (cause) {
    if (cause instanceof errors.JWKSInvalid) throw invalidOption('jwks', 'a JSON Web Key Set');
    throw cause;
  }
}

function remoteKeys(jwksUri: string, way: KeyFetch): RemoteKeys {
  const sets = REMOTE.get(way) ?? new Map<string, RemoteKeys>();
  REMOTE.set(way, sets);
  const keys = sets.get(jwksUri) ?? new RemoteKeys(jwksUri, way);
  sets.set(jwksUri, keys);
  return keys;
}
