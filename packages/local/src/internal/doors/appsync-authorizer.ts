import { ACCOUNT } from '../aws/names.js';
import type { InvokeOutcome } from '../runtime/invoker.js';

/** A GraphQL request, as its authorizer receives it. */
export interface AskedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>> | null;
  readonly operationName: string | null;
}

/** The result of an authorizer that allows a request. */
export interface AppSyncAuthorization {
  /** The identity in the events of resolvers. */
  readonly identity: { readonly resolverContext?: unknown };
  /** Fields that are denied although the request is allowed, for example `Query.note`. */
  readonly denied: ReadonlySet<string>;
}

/**
 * The event of a Lambda authorizer; `undefined` without a token, because AppSync then does not invoke the authorizer.
 *
 * @see https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html#aws-lambda-authorization
 */
export function appSyncAuthorizerEvent(request: AskedRequest, requestId: string): object | undefined {
  const { headers, query, variables, operationName } = request;
  const authorizationToken = headers.authorization ?? '';
  if (authorizationToken === '') return undefined;
  return {
    authorizationToken,
    requestContext: {
      apiId: 'api1',
      accountId: ACCOUNT,
      requestId,
      queryString: query,
      ...(operationName !== null && { operationName }),
      variables: variables ?? {},
    },
    requestHeaders: headers,
  };
}

/** The authorization in an authorizer's response; `undefined` if the request is rejected. If the authorizer fails, the request is rejected. */
export function appSyncAuthorizationOf(outcome: InvokeOutcome): AppSyncAuthorization | undefined {
  const answer = (outcome.ok ? (outcome.answer ?? {}) : {}) as {
    readonly isAuthorized?: unknown;
    readonly resolverContext?: unknown;
    readonly deniedFields?: unknown;
  };
  if (answer.isAuthorized !== true) return undefined;
  const fields: readonly unknown[] = Array.isArray(answer.deniedFields) ? answer.deniedFields : [];
  return {
    identity: answer.resolverContext === undefined ? {} : { resolverContext: answer.resolverContext },
    denied: new Set(fields.map((field) => shortName(String(field)))),
  };
}

/** `Query.note` of an ARN `…:apis/<id>/types/Query/fields/note`. */
function shortName(field: string): string {
  const [, type, name] = /\/types\/([^/]+)\/fields\/([^/]+)$/.exec(field) ?? [];
  return type === undefined ? field : `${type}.${name}`;
}
