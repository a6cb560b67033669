import { isObject, type Members, membersOf, stringOf } from '@sallyport/core/internal';
import { usageError } from '../errors.js';
import type { DeployedDoor, DeployedJwt } from './deployed.js';

/**
 * The doors of a function of the constructs' manifest.
 *
 * @param at the place of the function in messages
 * @throws FrameworkError `local.usage` for a setting of another type
 */
export function manifestDoors(doors: unknown, at: string): readonly DeployedDoor[] {
  return (Array.isArray(doors) ? doors : []).map((door, index) => doorOf(membersOf(door), `${at}.doors[${index}]`));
}

function doorOf(door: Members, at: string): DeployedDoor {
  const { stage, multiValueHeaders, binaryMediaTypes, jwt } = door;
  const kind = stringOf(door.kind);
  // A manifest of an older version does not name the types: its constructs set this one by default.
  const types = binaryMediaTypes ?? (kind === 'rest-api' ? ['*/*'] : undefined);
  if (stage !== undefined && (typeof stage !== 'string' || stage === '')) throw wrong(`${at}.stage`, 'a string');
  if (multiValueHeaders !== undefined && typeof multiValueHeaders !== 'boolean')
    throw wrong(`${at}.multiValueHeaders`, 'true or false');
  return {
    kind,
    routes: stringsAt(door.routes ?? [], `${at}.routes`),
    ...(stage !== undefined && { stage }),
    ...(types !== undefined && { binaryMediaTypes: stringsAt(types, `${at}.binaryMediaTypes`) }),
    ...(multiValueHeaders !== undefined && { multiValueHeaders }),
    ...(jwt !== undefined && { jwt: authorizersAt(jwt, `${at}.jwt`) }),
  };
}

function authorizersAt(value: unknown, at: string): Readonly<Record<string, DeployedJwt>> {
  if (!isObject(value)) throw wrong(at, 'an object by route');
  return Object.fromEntries(
    Object.entries(value).map(([route, one]) => [route, authorizerAt(one, `${at}["${route}"]`)]),
  );
}

function authorizerAt(value: unknown, at: string): DeployedJwt {
  if (!isObject(value)) throw wrong(at, 'an object');
  const { issuer, audience, scopes = [] } = value;
  if (issuer !== undefined && typeof issuer !== 'string') throw wrong(`${at}.issuer`, 'a string');
  return {
    ...(issuer !== undefined && { issuer }),
    audience: stringsAt(audience, `${at}.audience`),
    scopes: stringsAt(scopes, `${at}.scopes`),
  };
}

function stringsAt(value: unknown, at: string): readonly string[] {
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) throw wrong(at, 'a list of strings');
  return value;
}

function wrong(at: string, expected: string): Error {
  return usageError(`manifest: ${at} must be ${expected}: synthesize again, or update @sallyport/local`);
}
