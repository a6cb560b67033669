import {
  AuthorizationType,
  IdentitySource,
  type MethodOptions,
  RequestAuthorizer,
  TokenAuthorizer,
} from 'aws-cdk-lib/aws-apigateway';
import type { Construct } from 'constructs';
import { misuse } from '../../internal/misuse.js';
import type { ApiAuthorization } from '../authorization.js';
import { parseAuthorizer } from '../lambda-authorizer.js';

/**
 * Returns the authorization of a REST API's methods, with an authorizer of the API for a function.
 *
 * @throws ConstructError `constructs.invalid_prop` for a JWT authorizer, which REST APIs do not have
 */
export function restAuthorization(api: Construct, { kind, lambda }: ApiAuthorization): MethodOptions {
  if (kind === 'application') return { authorizationType: AuthorizationType.NONE };
  if (kind === 'iam') return { authorizationType: AuthorizationType.IAM };
  if (kind === 'jwt') {
    throw misuse(api, {
      what: 'authorization is a JWT authorizer',
      expected: 'ApiAuthorization.APPLICATION, IAM, token(…), request(…) or an HttpApi',
    });
  }
  const { fn: handler, cacheTtl: resultsCacheTtl, header, queryParameter } = parseAuthorizer(api, lambda);
  if (kind === 'token' && queryParameter !== undefined) {
    throw misuse(api, {
      what: 'queryParameter of a token authorizer',
      expected: 'header, or ApiAuthorization.request',
    });
  }
  const source =
    queryParameter === undefined ? IdentitySource.header(header) : IdentitySource.queryString(queryParameter);
  const authorizer =
    kind === 'token'
      ? new TokenAuthorizer(api, 'Authorizer', { handler, resultsCacheTtl, identitySource: source })
      : new RequestAuthorizer(api, 'Authorizer', { handler, resultsCacheTtl, identitySources: [source] });
  return { authorizationType: AuthorizationType.CUSTOM, authorizer };
}
