import { CfnAuthorizer, type HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { misuse } from '../../internal/misuse.js';
import type { ApiAuthorization } from '../authorization.js';
import { type LambdaAuthorizer, parseAuthorizer } from '../lambda-authorizer.js';

/** The authorization of a route of an HTTP API, in CloudFormation's terms. */
export interface RouteAuthorization {
  readonly authorizationType: 'NONE' | 'AWS_IAM' | 'JWT' | 'CUSTOM';
  readonly authorizerId?: string;
}

/**
 * Returns the authorization of an HTTP API's routes, with an authorizer of the API for a JWT or a function.
 *
 * @throws ConstructError `constructs.invalid_prop` for a token authorizer, which HTTP APIs do not have
 */
export function httpAuthorization(
  door: Construct,
  { apiId }: HttpApi,
  authorization: ApiAuthorization,
): RouteAuthorization {
  const { kind, issuer, audience, lambda } = authorization;
  if (kind === 'application') return { authorizationType: 'NONE' };
  if (kind === 'iam') return { authorizationType: 'AWS_IAM' };
  if (kind === 'request')
    return { authorizationType: 'CUSTOM', authorizerId: askFunction(door, apiId, parseAuthorizer(door, lambda)) };
  if (kind === 'token')
    throw misuse(door, {
      what: 'authorization is a token authorizer',
      expected: 'ApiAuthorization.APPLICATION, IAM, jwt(…), request(…) or a RestApi',
    });
  const authorizer = new CfnAuthorizer(door, 'Authorizer', {
    apiId,
    name: 'jwt',
    authorizerType: 'JWT',
    identitySource: ['$request.header.Authorization'],
    jwtConfiguration: { ...(issuer === undefined ? {} : { issuer }), audience: [...audience] },
  });
  return { authorizationType: 'JWT', authorizerId: authorizer.ref };
}

/** @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-lambda-authorizer.html */
function askFunction(door: Construct, apiId: string, lambda: LambdaAuthorizer): string {
  const { fn, cacheTtl, header, queryParameter } = lambda;
  const stack = Stack.of(door);
  const authorizer = new CfnAuthorizer(door, 'Authorizer', {
    apiId,
    name: 'function',
    authorizerType: 'REQUEST',
    authorizerPayloadFormatVersion: '2.0',
    enableSimpleResponses: true,
    authorizerResultTtlInSeconds: cacheTtl.toSeconds(),
    identitySource: [
      queryParameter === undefined ? `$request.header.${header}` : `$request.querystring.${queryParameter}`,
    ],
    authorizerUri: authorizerUri(stack, fn),
  });
  permitAuthorizer(door, fn, apiId, authorizer);
  return authorizer.ref;
}

/**
 * Returns the authorization of the route `$connect`, with an authorizer of the API for a function. API Gateway does not cache its results.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-lambda-auth.html
 * @throws ConstructError `constructs.invalid_prop` for a JWT or token authorizer, which WebSocket APIs do not have, and for a cache
 */
export function connectAuthorization(
  door: Construct,
  apiId: string,
  authorization: ApiAuthorization,
): RouteAuthorization {
  const { kind, lambda } = authorization;
  if (kind === 'application') return { authorizationType: 'NONE' };
  if (kind === 'iam') return { authorizationType: 'AWS_IAM' };
  if (kind !== 'request') {
    throw misuse(door, {
      what: `authorization is a ${kind === 'jwt' ? 'JWT' : 'token'} authorizer`,
      expected: 'ApiAuthorization.APPLICATION, IAM or request(…)',
    });
  }
  const { fn, cacheTtl, header, queryParameter } = parseAuthorizer(door, lambda);
  if (lambda?.cacheTtl && cacheTtl.toMilliseconds() > 0) {
    throw misuse(door, { what: 'cacheTtl', got: cacheTtl, expected: 'none: a WebSocket API caches no results' });
  }
  const authorizer = new CfnAuthorizer(door, 'Authorizer', {
    apiId,
    name: 'function',
    authorizerType: 'REQUEST',
    identitySource: [
      queryParameter === undefined ? `route.request.header.${header}` : `route.request.querystring.${queryParameter}`,
    ],
    authorizerUri: authorizerUri(Stack.of(door), fn),
  });
  permitAuthorizer(door, fn, apiId, authorizer);
  return { authorizationType: 'CUSTOM', authorizerId: authorizer.ref };
}

function authorizerUri(stack: Stack, fn: IFunction): string {
  return stack.formatArn({
    service: 'apigateway',
    account: 'lambda',
    resource: 'path',
    resourceName: `2015-03-31/functions/${fn.functionArn}/invocations`,
  });
}

function permitAuthorizer(door: Construct, fn: IFunction, apiId: string, authorizer: CfnAuthorizer): void {
  fn.addPermission('AuthorizerPermission', {
    scope: door,
    principal: new ServicePrincipal('apigateway.amazonaws.com'),
    sourceArn: Stack.of(door).formatArn({
      service: 'execute-api',
      resource: apiId,
      resourceName: `authorizers/${authorizer.ref}`,
    }),
  });
}
