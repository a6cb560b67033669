import { invalidOption } from '@sallyport/core';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JWTVerifyGetKey,
} from 'jose';
import type { JwtSettings } from './options.js';

/** The issuer's keys could not be had; says nothing of the token. */
export class KeysUnavailable extends Error {}

const LIMITS = { timeoutDuration: 5_000, cooldownDuration: 30_000, cacheMaxAge: 600_000 };

/** One key set per issuer and process, and per way to fetch it. Keys are public; nothing of an invocation is in here. */
const REMOTE = new WeakMap<object, Map<string, JWTVerifyGetKey>>();
const PLATFORM_FETCH = {};

/** What finds the key of a token's header. A `kid` that nobody knows is the token's fault; a set that cannot be had is not. */
export function createKeySource(settings: JwtSettings): JWTVerifyGetKey {
  const find = settings.jwksUri === undefined ? localKeys(settings) : remoteKeys(settings, settings.jwksUri);
  return async (header, token) => {
    try {
      return await find(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      throw new KeysUnavailable('key set is not available', { cause: error });
    }
  };
}

function localKeys({ jwks }: JwtSettings): JWTVerifyGetKey {
  try {
    return createLocalJWKSet(structuredClone(jwks) as NonNullable<typeof jwks>);
  } catch (cause) {
    if (cause instanceof errors.JWKSInvalid) throw invalidOption('jwks', 'a JSON Web Key Set');
    throw cause;
  }
}

function remoteKeys({ issuer, fetch }: JwtSettings, jwksUri: string): JWTVerifyGetKey {
  const place = fetch ?? PLATFORM_FETCH;
  const sets = REMOTE.get(place) ?? new Map<string, JWTVerifyGetKey>();
  REMOTE.set(place, sets);
  const name = `${issuer}\n${jwksUri}`;
  const present = sets.get(name);
  if (present) return present;
  const own = fetch && { [customFetch]: fetch as unknown as FetchImplementation };
  const set = createRemoteJWKSet(new URL(jwksUri), { ...LIMITS, ...own });
  sets.set(name, set);
  return set;
}
