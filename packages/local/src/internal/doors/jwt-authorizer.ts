import { DOOR_PROFILES } from '@sallyport/testkit/events';
import type { Identity } from '../identity/identity.js';
import type { DoorRequest } from './request.js';

/** The doors that can have a JWT authorizer: an HTTP API has JWT authorizers, a REST API has Cognito authorizers. */
export type JwtDoor = 'gateway-v2' | 'gateway-v1';

/** Claims in the format of a door; every value is a string. */
export type Claims = Readonly<Record<string, string>>;

/** The decision of a JWT authorizer. */
export type JwtDecision =
  | { readonly isAllowed: true; readonly authorizer: Record<string, unknown> }
  | {
      readonly isAllowed: false;
      readonly status: 401 | 403;
      /** The problem of the token, `''` for a request without a token. */
      readonly reason: string;
    };

/** Requirements of a JWT authorizer for a token. */
export interface TokenRules {
  readonly identity: Identity;
  /** The authorization scopes of the route; if not empty, the token needs one of them. */
  readonly scopes: readonly string[];
  /** The audiences of the deployed authorizer; if absent, those of the local issuer. */
  readonly audience?: readonly string[];
}

/**
 * Checks the bearer token of a request as API Gateway does: signature, issuer, audience, times, and one of the configured scopes.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html
 */
export async function decideByToken(
  kind: JwtDoor,
  headers: DoorRequest['headers'],
  { identity, scopes, audience }: TokenRules,
): Promise<JwtDecision> {
  const token = tokenOf(headers);
  if (token === undefined) return { isAllowed: false, status: 401, reason: '' };
  let claims: Readonly<Record<string, unknown>>;
  try {
    claims = await identity.verify(token);
  } catch (error) {
    return { isAllowed: false, status: 401, reason: (error as Error).message };
  }
  if (audience && !audiencesOf(claims).some((one) => audience.includes(one)))
    return { isAllowed: false, status: 401, reason: 'the token does not have a valid audience' };
  const held = scopesOf(claims);
  const matching = scopes.filter((scope) => held.includes(scope));
  if (scopes.length > 0 && matching.length === 0)
    return { isAllowed: false, status: 403, reason: `the token needs one of the scopes ${scopes.join(', ')}` };
  if (DOOR_PROFILES[kind].claims === 'cognito')
    return { isAllowed: true, authorizer: { claims: toCognitoClaims(claims) } };
  // `null` on a route without authorization scopes, regardless of the token.
  return {
    isAllowed: true,
    authorizer: { jwt: { claims: toJwtClaims(claims), scopes: scopes.length === 0 ? null : matching } },
  };
}

/** The token of the header `authorization`, alone or after `Bearer`. */
export function tokenOf(headers: DoorRequest['headers']): string | undefined {
  const header = headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? '';
  const token = header.replace(/^bearer(?: +|$)/i, '').trim();
  return token === '' ? undefined : token;
}

/** Access tokens of Cognito have `client_id` instead of `aud`. */
function audiencesOf({ aud, client_id: client }: Readonly<Record<string, unknown>>): readonly string[] {
  return [aud ?? client].flat().map(String);
}

function scopesOf({ scope, scp }: Readonly<Record<string, unknown>>): readonly string[] {
  return [scope, scp].flat().flatMap((text) => (typeof text === 'string' ? text.split(' ') : []));
}

/**
 * Claims in the format of an HTTP API: `"[admin users]"`, `"1"`, `"true"`; `null` is omitted, an object is its JSON. AWS documents strings
 * only ("Working with AWS Lambda proxy integrations for HTTP APIs"); the formats were measured at API Gateway
 * (aws-solutions-library-samples/guidance-for-claude-code-with-amazon-bedrock issue 802, floci-io/floci pull request 2011).
 */
export function toJwtClaims(claims: Readonly<Record<string, unknown>>): Claims {
  return mapClaims(claims, (value) => (Array.isArray(value) ? `[${value.map(toText).join(' ')}]` : toText(value)));
}

/**
 * Claims in the format of a REST API's Cognito authorizer: lists are joined by commas, `exp` and `iat` are dates, which
 * `CognitoAuthorizerClaims` of aws/serverless-java-container parses as `EEE MMM d HH:mm:ss z yyyy`.
 */
export function toCognitoClaims(claims: Readonly<Record<string, unknown>>): Claims {
  return mapClaims(claims, (value, name) => {
    if ((name === 'exp' || name === 'iat') && typeof value === 'number') return toDate(value);
    return Array.isArray(value) ? value.map(toText).join(',') : toText(value);
  });
}

function mapClaims(claims: Readonly<Record<string, unknown>>, map: (value: unknown, name: string) => string): Claims {
  const given = Object.entries(claims).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, map(value, name)]));
}

const toText = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** `Mon Nov 23 10:00:00 UTC 2026`. */
function toDate(seconds: number): string {
  const [, day, date, month, year, time] =
    /^(\w{3}), (\d\d) (\w{3}) (\d{4}) (\S+) GMT$/.exec(new Date(seconds * 1000).toUTCString()) ?? [];
  return `${day} ${month} ${date} ${time} UTC ${year}`;
}
