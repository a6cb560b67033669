import { type Checks, checkOptions, flag, nonBlank } from '../internal/check.js';
import {
  HTTP_CHECKS,
  type HttpOptions,
  httpParts,
  last,
  listed,
  lowerNames,
  type Pairs,
  splitQuery,
  withCookieHeader,
} from './http.js';
import { ACCOUNT, type Answered, type LoadBalancerResult, REGION } from './shape.js';

/** A load balancer knows no stage, no request id, no time and no client address of its own. */
export interface LoadBalancerOptions extends Omit<HttpOptions, 'sourceIp' | 'requestId' | 'stage' | 'time'> {
  readonly targetGroupArn?: string;
  /** Whether the target group has multi-value headers on; `false` unless given. */
  readonly multiValue?: boolean;
}

interface SingleValue {
  readonly headers: Record<string, string>;
  readonly queryStringParameters: Record<string, string>;
}

interface MultiValue {
  readonly multiValueHeaders: Record<string, string[]>;
  readonly multiValueQueryStringParameters: Record<string, string[]>;
}

/** An Application Load Balancer event: exactly one of the two header maps. */
export interface LoadBalancerEvent extends Partial<SingleValue>, Partial<MultiValue>, Answered<LoadBalancerResult> {
  readonly requestContext: { readonly elb: { readonly targetGroupArn: string } };
  readonly httpMethod: string;
  readonly path: string;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

const { sourceIp: _address, requestId: _id, stage: _stage, time: _time, ...SHARED_CHECKS } = HTTP_CHECKS;
const CHECKS: Checks<LoadBalancerOptions> = { ...SHARED_CHECKS, targetGroupArn: nonBlank, multiValue: flag };

const TARGET_GROUP = `arn:aws:elasticloadbalancing:${REGION}:${ACCOUNT}:targetgroup/test/0123456789abcdef`;

/**
 * A load balancer event: header names in lower case, the query still percent-encoded, as it arrives.
 *
 * @param path as the client sends it, escapes and `?query` included
 * @throws FrameworkError for an unknown option or a wrong type
 */
export function buildLoadBalancerRequest(
  method: string,
  path: string,
  options: LoadBalancerOptions = {},
): LoadBalancerEvent {
  checkOptions(options, CHECKS);
  const parts = httpParts(method, path, options);
  const headers = withCookieHeader(parts);
  const maps = options.multiValue ? multiValue : singleValue;
  return {
    requestContext: { elb: { targetGroupArn: options.targetGroupArn ?? TARGET_GROUP } },
    httpMethod: method,
    path: parts.path,
    ...maps(lowerNames(headers), splitQuery(parts.rawQuery)),
    body: parts.body ?? '',
    isBase64Encoded: parts.isBase64Encoded,
  };
}

function singleValue(headers: Pairs, query: Pairs): SingleValue {
  return { headers: last(headers), queryStringParameters: last(query) };
}

function multiValue(headers: Pairs, query: Pairs): MultiValue {
  return { multiValueHeaders: listed(headers), multiValueQueryStringParameters: listed(query) };
}
