import { membersOf } from '@sallyport/core/internal';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildAppSyncEvent,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  buildWebSocketEvent,
  cloudWatchLogsSubscriptionData,
} from '@sallyport/testkit/events';
import { CATALOGUE, type CatalogueEntry, samplesFor } from '@sallyport/triggers/catalogue';
import { buildEdgeEvent } from '@sallyport/triggers/edge';
import { localError } from '../errors.js';
import { streams } from '../services/kinesis/service.js';
import { findType, SOURCE_TYPES } from '../sources/source-types.js';
import { PATH_PARAMETER } from './path-parameters.js';
import type { SendRequest } from './send.js';

type Options = Readonly<Record<string, unknown>>;
type Build = (target: string, options: Options, request: SendRequest) => unknown;
/** The builders check their options at run time, regardless of the type. */
type Any = never;

const HTTP_BUILDERS: Readonly<Record<string, (method: string, path: string, options: Any) => unknown>> = {
  'gateway-v2': buildAPIGatewayV2Request,
  'gateway-v1': buildAPIGatewayProxyRequest,
  'load-balancer': buildLoadBalancerRequest,
  'function-url': buildLambdaFunctionURLRequest,
};

/** Builds the event of each kind that is not a source. */
const BUILDERS: Readonly<Record<string, Build>> = {
  http(target, { pathParameters, ...options }, { doors = [] }) {
    const [method = '', path = ''] = target.split(/\s+/);
    const build = HTTP_BUILDERS[doors[0] ?? 'gateway-v2'] ?? buildAPIGatewayV2Request;
    return build(method, fillPath(path, membersOf(pathParameters)), options as Any);
  },
  websocket(target, { body, headers, ...options }) {
    // Only the handshake has headers.
    const own = headers !== undefined && target === '$connect' ? { headers } : {};
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    return buildWebSocketEvent({
      routeKey: target,
      ...own,
      ...(text !== undefined && { body: text }),
      ...options,
    } as Any);
  },
  appsync(target, options) {
    const [parentTypeName = '', fieldName = ''] = target.split('.');
    return buildAppSyncEvent({ parentTypeName, fieldName, ...options } as Any);
  },
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
    return streams.event?.(target, { data });
  },
  edge: (target, options) => buildEdgeEvent((target || 'viewer-request') as Any, options as Any),
  event: (_target, _options, { options }) => options,
};

/**
 * The path of a request to a route: `/notes/7` for `/notes/{id}`. A path cannot contain braces (RFC 3986, section 3.3).
 *
 * @throws FrameworkError `local.path_parameter_missing`
 */
function fillPath(path: string, parameters: Options): string {
  return path.replace(PATH_PARAMETER, (text, name: string, rest: string) => {
    const value = parameters[name];
    if (typeof value === 'string' && value !== '')
      return rest === '' ? encodeURIComponent(value) : value.split('/').map(encodeURIComponent).join('/');
    const remedy = `set pathParameters to {"${name}":"…"}, or write the value into the path`;
    throw localError('local.path_parameter_missing', `framework: ${path} needs a value for ${text}: ${remedy}`);
  });
}

/** The opt-in trigger of a kind; `undefined` for any other kind. */
function findTrigger(kind: string): CatalogueEntry | undefined {
  return Object.hasOwn(CATALOGUE, kind) ? CATALOGUE[kind as keyof typeof CATALOGUE] : undefined;
}

/** The alias that a request invokes; `undefined` for the default of the run. */
export function aliasOf({ kind, target = '', alias }: SendRequest): string | undefined {
  return (
    alias ?? (findTrigger(kind)?.sample.alias === undefined ? undefined : target || findTrigger(kind)?.sample.alias)
  );
}

/**
 * Builds the event of a `send` request with the test kit's builder of its kind.
 *
 * @throws FrameworkError `local.unknown_kind`, or an error of the builder
 */
export function buildEvent(request: SendRequest): unknown {
  const { kind, target = '' } = request;
  const options = kind === 'event' ? {} : ((request.options ?? {}) as Options);
  const type = findType(kind);
  if (type?.event) return type.event(target, options);
  const trigger = findTrigger(kind);
  if (trigger) return Object.hasOwn(options, 'event') ? options.event : samplesFor(trigger, target)[0];
  const build = Object.hasOwn(BUILDERS, kind) ? BUILDERS[kind] : undefined;
  if (!build) {
    const sources = SOURCE_TYPES.filter(({ event }) => event).map((one) => one.kind);
    const known = [...Object.keys(BUILDERS), ...sources, ...Object.keys(CATALOGUE)].join(', ');
    throw localError(
      'local.unknown_kind',
      `framework: the kind ${JSON.stringify(kind)} does not exist: use one of ${known}`,
    );
  }
  return build(target, options, request);
}
