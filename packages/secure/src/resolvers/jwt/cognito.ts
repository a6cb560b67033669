import { assertKnownOptions, invalidOption } from '@sallyport/core';
import type { SecurePrincipalResolver } from '../../principal.js';
import type { JwtPrincipalOptions } from './options.js';
import { jwtPrincipalResolver } from './resolver.js';

/** What a user pool decides itself is not asked for. */
type Decided = 'issuer' | 'jwksUri' | 'audience' | 'audienceClaim' | 'tokenUse' | 'algorithms';

export interface CognitoPrincipalOptions extends Omit<JwtPrincipalOptions, Decided> {
  readonly region: string;
  readonly userPoolId: string;
  /** The app clients whose tokens are taken. */
  readonly clientIds: readonly string[];
  /** Which of the two tokens callers send; the other is refused. */
  readonly tokenUse: 'access' | 'id';
}

const OWN = ['region', 'userPoolId', 'clientIds', 'tokenUse'];
const PASSED_ON = [
  'jwks',
  'clockToleranceSeconds',
  'typ',
  'maxTokenAgeSeconds',
  'requiredClaims',
  'fetch',
  'identity',
  'scopes',
  'tenantId',
  'kind',
  'header',
  'describeErrors',
];

/**
 * {@link jwtPrincipalResolver} for a Cognito user pool. Groups are no scopes; an own `scopes` function may make them such.
 *
 * @throws FrameworkError `app.invalid_configuration`
 */
export function cognitoPrincipalResolver(options: CognitoPrincipalOptions): SecurePrincipalResolver {
  if (typeof options !== 'object' || options === null) throw invalidOption('options', 'an object');
  assertKnownOptions(options, [...OWN, ...PASSED_ON]);
  const { region, userPoolId, clientIds, tokenUse, ...rest } = options;
  if (typeof region !== 'string' || !/^[a-z]{2}(-[a-z]+)+-\d+$/.test(region))
    throw invalidOption('region', 'an AWS region');
  if (typeof userPoolId !== 'string' || !/^[\w-]+_[0-9A-Za-z]+$/.test(userPoolId)) {
    throw invalidOption('userPoolId', 'the id of a user pool');
  }
  if (!Array.isArray(clientIds)) throw invalidOption('clientIds', 'a list of app clients');
  if (tokenUse !== 'access' && tokenUse !== 'id') throw invalidOption('tokenUse', 'access or id');
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const issuer = `https://cognito-idp.${region}.${domain}/${userPoolId}`;
  return jwtPrincipalResolver({
    ...rest,
    issuer,
    ...(rest.jwks === undefined && { jwksUri: `${issuer}/.well-known/jwks.json` }),
    audience: clientIds,
    audienceClaim: tokenUse === 'access' ? 'client_id' : 'aud',
    tokenUse,
    algorithms: ['RS256'],
  });
}
