import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Duration } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { AUTHORIZER_TYPES, noteInvoker } from '../internal/invokers.js';
import { misuse } from '../internal/misuse.js';
import { choice, defineProps, literalWords, thing, time } from '../internal/props.js';

/** Props of an authorizer function of an API: `ApiAuthorization.token`, `ApiAuthorization.request`. */
export interface LambdaAuthorizerProps {
  /** The authorizer function. */
  readonly fn: IFunction;
  /**
   * The scope of a result, as in the application: the called `method`, or the whole `api`.
   *
   * @default 'method'
   */
  readonly scope?: 'method' | 'api';
  /**
   * The time for which API Gateway caches a result for an equal header, at most 1 h. With `scope: 'method'` nothing is cached: an Allow for one
   * method would deny the next.
   *
   * @default - 0 s; 5 min with `scope: 'api'`
   */
  readonly cacheTtl?: Duration;
  /**
   * The header with the credentials. A request without it gets 401, and the function is not invoked.
   *
   * @default 'Authorization'
   */
  readonly header?: string;
  /**
   * The query parameter with the credentials, instead of a header: the WebSocket client of browsers cannot send headers. Access logs of this package do not
   * contain it; logs of clients and proxies may. Not for `ApiAuthorization.token`.
   *
   * @default - the header
   */
  readonly queryParameter?: string;
}

/** Validators and defaults for {@link LambdaAuthorizerProps}. */
export const LAMBDA_AUTHORIZER_PROPS = defineProps<LambdaAuthorizerProps>('ApiAuthorization')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  scope: choice('method', 'api').default('method'),
  cacheTtl: time(0, 3600),
  header: literalWords('the name of a header', /^[A-Za-z][\w-]*$/),
  queryParameter: literalWords('the name of a query parameter', /^[A-Za-z][\w-]*$/),
});

/** A {@link LambdaAuthorizerProps} with its defaults. */
export interface LambdaAuthorizer {
  readonly fn: IFunction;
  readonly cacheTtl: Duration;
  readonly header: string;
  /** Instead of the header. */
  readonly queryParameter: string | undefined;
}

/**
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 * @throws ConstructError `constructs.invalid_prop` for a wrong prop, and for a cache of answers about one method
 */
export function parseAuthorizer(api: IConstruct, props: LambdaAuthorizerProps | undefined): LambdaAuthorizer {
  const { fn, scope, queryParameter, ...given } = LAMBDA_AUTHORIZER_PROPS.parse(api, props);
  if (given.header !== undefined && queryParameter !== undefined) {
    throw misuse(api, { what: 'header and queryParameter of an authorizer', expected: 'one of them' });
  }
  noteInvoker(fn, { construct: api, types: AUTHORIZER_TYPES });
  const cacheTtl = given.cacheTtl ?? (scope === 'api' ? Duration.minutes(5) : Duration.seconds(0));
  if (scope === 'method' && (cacheTtl.isUnresolved() || cacheTtl.toMilliseconds() > 0)) {
    throw misuse(api, {
      what: 'cacheTtl of an authorizer whose results apply to one method',
      got: cacheTtl,
      expected:
        "none, or scope: 'api' here and in the application: an Allow for one method that is reused denies the next",
    });
  }
  return { fn, cacheTtl, header: given.header ?? 'Authorization', queryParameter };
}
