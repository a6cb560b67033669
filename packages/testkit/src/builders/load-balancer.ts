import { boolean, defineOptions } from '@sallyport/core/options';
import { filled } from '../internal/kinds.js';
import { HTTP_KINDS, type HttpOptions, httpParts, last, listed, placedHeaders, splitQuery } from './http.js';
import { ACCOUNT, type Answered, type LoadBalancerResult, REGION } from './shape.js';

/**
 * Options of {@link buildLoadBalancerRequest}. Events of a load balancer have no stage, request id, time or client address.
 */
export interface LoadBalancerOptions extends Omit<HttpOptions, 'sourceIp' | 'requestId' | 'stage' | 'time'> {
  /** ARN of the target group. Default: one of the name `test`. */
  readonly targetGroupArn?: string;
  /** True if the target group has multi-value headers on. Default: `false`. */
  readonly multiValue?: boolean;
}

/**
 * An Application Load Balancer event: exactly one of the two header maps, and of the two query maps.
 *
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html
 */
export interface LoadBalancerEvent extends Answered<LoadBalancerResult> {
  /** The target group that passed the request on. */
  readonly requestContext: { readonly elb: { readonly targetGroupArn: string } };
  /** HTTP method. */
  readonly httpMethod: string;
  /** The path as the client sent it. */
  readonly path: string;
  /** Headers by their lower-case names, of several values the last. Absent with multi-value headers. */
  readonly headers?: Record<string, string>;
  /** Query parameters, still encoded, of several values the last. Absent with multi-value headers. */
  readonly queryStringParameters?: Record<string, string>;
  /** Headers with all their values. Absent without multi-value headers. */
  readonly multiValueHeaders?: Record<string, string[]>;
  /** Query parameters with all their values, still encoded. Absent without multi-value headers. */
  readonly multiValueQueryStringParameters?: Record<string, string[]>;
  /** The body, base64 when `isBase64Encoded`; `''` for none. */
  readonly body: string;
  /** True if `body` is base64. */
  readonly isBase64Encoded: boolean;
}

const TARGET_GROUP = `arn:aws:elasticloadbalancing:${REGION}:${ACCOUNT}:targetgroup/test/0123456789abcdef`;

const { sourceIp: _address, requestId: _id, stage: _stage, time: _time, ...SHARED } = HTTP_KINDS;
const OPTIONS = defineOptions<LoadBalancerOptions>()({
  ...SHARED,
  targetGroupArn: filled.default(TARGET_GROUP),
  multiValue: boolean.default(false),
});

/**
 * Builds a load balancer event: header names in lower case, the query still percent-encoded, as it arrives.
 *
 * @param path as the client sends it, escapes and `?query` included
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildLoadBalancerRequest(
  method: string,
  path: string,
  options: LoadBalancerOptions = {},
): LoadBalancerEvent {
  const { targetGroupArn, multiValue, ...given } = OPTIONS.parse(options);
  const parts = httpParts(method, path, given);
  const headers = placedHeaders('load-balancer', parts);
  const query = splitQuery(parts.rawQuery);
  return {
    requestContext: { elb: { targetGroupArn } },
    httpMethod: method,
    path: parts.path,
    ...(multiValue
      ? { multiValueHeaders: listed(headers), multiValueQueryStringParameters: listed(query) }
      : { headers: last(headers), queryStringParameters: last(query) }),
    body: parts.body ?? '',
    isBase64Encoded: parts.isBase64Encoded,
  };
}
