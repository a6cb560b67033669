import { FrameworkError } from '@sallyport/core';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildAppSyncEvent,
  buildEventBusEvent,
  buildKinesisEvent,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  buildQueueEvent,
  buildScheduledEvent,
  buildTableStreamEvent,
  buildTopicEvent,
  buildWebSocketEvent,
  cloudWatchLogsSubscriptionData,
} from '@sallyport/testkit/events';
import { ACCOUNT } from '../host/host.js';
import type { SendRequest } from './send.js';

type Options = Readonly<Record<string, unknown>>;
type Build = (target: string, options: Options, request: SendRequest) => unknown;
/** The builders check their options at run time, regardless of the type. */
type Any = never;

const REGION = 'us-east-1';
const arn = (service: string, resource: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;

const HTTP_BUILDERS: Readonly<Record<string, (method: string, path: string, options: Any) => unknown>> = {
  'gateway-v2': buildAPIGatewayV2Request,
  'gateway-v1': buildAPIGatewayProxyRequest,
  'load-balancer': buildLoadBalancerRequest,
  'function-url': buildLambdaFunctionURLRequest,
};

/** Builds the event of each kind from a form. */
const BUILDERS: Readonly<Record<string, Build>> = {
  http(target, options, { doors = [] }) {
    const [method = '', path = ''] = target.split(/\s+/);
    const build = HTTP_BUILDERS[doors[0] ?? 'gateway-v2'] ?? buildAPIGatewayV2Request;
    return build(method, path, options as Any);
  },
  websocket(target, { body, headers: _headers, ...options }) {
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    return buildWebSocketEvent({ routeKey: target, ...(text !== undefined && { body: text }), ...options } as Any);
  },
  appsync(target, options) {
    const [parentTypeName = '', fieldName = ''] = target.split('.');
    return buildAppSyncEvent({ parentTypeName, fieldName, ...options } as Any);
  },
  queue: (target, options) => buildQueueEvent(arn('sqs', target), [options as Any]),
  stream: (target, options) => buildKinesisEvent(arn('kinesis', `stream/${target}`), [options as Any]),
  'table-stream': (target, options) =>
    buildTableStreamEvent(arn('dynamodb', `table/${target}/stream/2026-01-01T00:00:00.000`), [options as Any]),
  topic: (target, options) => buildTopicEvent(arn('sns', target), [options as Any]),
  'event-bus': (_target, options) => buildEventBusEvent(options as Any),
  schedule: (target, options) => buildScheduledEvent({ schedule: target, ...options } as Any),
  'log-subscription'(target, { logGroup, messages = [] }) {
    const logEvents = (messages as readonly string[]).map((message, index) => ({
      id: String(index),
      timestamp: 0,
      message,
    }));
    const data = cloudWatchLogsSubscriptionData({
      ...(logGroup !== undefined && { logGroup }),
      ...(logEvents.length > 0 && { logEvents }),
    } as Any);
    return buildKinesisEvent(arn('kinesis', `stream/${target}`), [{ data }]);
  },
  event: (_target, _options, { options }) => options,
};

/**
 * Builds the event of a `send` request with the test kit's builder of its kind.
 *
 * @throws FrameworkError `local.unknown_kind`, or an error of the builder
 */
export function buildEvent(request: SendRequest): unknown {
  const build = Object.hasOwn(BUILDERS, request.kind) ? BUILDERS[request.kind] : undefined;
  if (!build) {
    const known = Object.keys(BUILDERS).join(', ');
    throw new FrameworkError(
      'local.unknown_kind',
      `framework: the kind ${JSON.stringify(request.kind)} does not exist: use one of ${known}`,
    );
  }
  const options = request.kind === 'event' ? {} : ((request.options ?? {}) as Options);
  return build(request.target ?? '', options, request);
}
