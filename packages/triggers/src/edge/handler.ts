import { isObject, isText, type Members, membersOf, stringOf } from '@sallyport/core/internal';
import { invalidAnswer, invalidEvent, refused } from '../errors.js';
import { toJson } from '../internal/answer.js';

/** The places at which CloudFront invokes a function. */
export type EdgeEventType = 'viewer-request' | 'origin-request' | 'origin-response' | 'viewer-response';

/** Headers by their names in lower case: https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/lambda-event-structure.html. */
export type EdgeHeaders = Readonly<Record<string, readonly { readonly key?: string; readonly value: string }[]>>;

/** A request of a viewer. */
export interface EdgeRequest {
  /** The address of the viewer; read-only. */
  readonly clientIp: string;
  /** The method; read-only. */
  readonly method: string;
  /** The path. */
  readonly uri: string;
  /** The query without `?`. */
  readonly querystring: string;
  /** The headers. */
  readonly headers: EdgeHeaders;
  /** The body, if the trigger includes it. */
  readonly body?: object;
  /** The origin; only for origin requests. */
  readonly origin?: object;
}

/** A response to a viewer. */
export interface EdgeResponse {
  /** The status: `'200'`. */
  readonly status: string | number;
  /** The status in words. */
  readonly statusDescription?: string;
  /** The headers. */
  readonly headers?: EdgeHeaders;
  /** The body; default: that of the origin. */
  readonly body?: string;
  /** Default `text`. */
  readonly bodyEncoding?: 'text' | 'base64';
}

/** The distribution, and the id of the request. */
export interface EdgeConfig {
  /** The id of the distribution. */
  readonly distributionId: string;
  /** Its host name. */
  readonly distributionDomainName: string;
  /** The place. */
  readonly eventType: EdgeEventType;
  /** The id of the request, for logs. */
  readonly requestId: string;
}

/** Changes a request or answers it; `undefined` leaves it unchanged. */
export type EdgeRequestHandler = (
  request: EdgeRequest,
  config: EdgeConfig,
) => EdgeRequest | EdgeResponse | undefined | Promise<EdgeRequest | EdgeResponse | undefined>;

/** Changes a response; `undefined` leaves it unchanged. */
export type EdgeResponseHandler = (
  response: EdgeResponse,
  request: EdgeRequest,
  config: EdgeConfig,
) => EdgeResponse | undefined | Promise<EdgeResponse | undefined>;

/** The handlers of a function, one for each place at which it is used. */
export interface EdgeHandlers {
  /** Runs for each request, before the cache. */
  readonly viewerRequest?: EdgeRequestHandler;
  /** Runs before the origin. */
  readonly originRequest?: EdgeRequestHandler;
  /** Runs after the origin, before the cache. */
  readonly originResponse?: EdgeResponseHandler;
  /** Runs for each response. */
  readonly viewerResponse?: EdgeResponseHandler;
}

const NAMES: Readonly<Record<EdgeEventType, keyof EdgeHandlers>> = {
  'viewer-request': 'viewerRequest',
  'origin-request': 'originRequest',
  'origin-response': 'originResponse',
  'viewer-response': 'viewerResponse',
};

/** Bytes of a generated response: https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html. */
const MAX_BYTES: Readonly<Record<string, number>> = { viewer: 40_960, origin: 1_048_576 };

/** Names that a function cannot add: https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/edge-function-restrictions-all.html. */
const DISALLOWED =
  /^(?:connection|expect|keep-alive|proxy-(?:authenticate|authorization|connection)|trailer|upgrade|x-accel-.*|x-amz-cf-.*|x-cache|x-edge-.*|x-forwarded-proto|x-real-ip)$/;

/**
 * Creates the handler of a Lambda@Edge function. It needs no container: a function at the edge has no variables, aliases or layers. An
 * answer that CloudFront could not read, or that exceeds its limits, fails with the reason in the log; CloudFront then answers 502.
 *
 * @throws FrameworkError `app.invalid_configuration` for no handler, an unknown place, or a handler that is not a function; an
 *   invocation rejects with `triggers.invalid_event`, `triggers.no_handler` or `triggers.invalid_answer`, or with the handler's error
 * @example export const handler = edgeHandler({ viewerRequest: (request) => ({ ...request, uri: request.uri.toLowerCase() }) });
 */
export function edgeHandler(handlers: EdgeHandlers): (event: unknown) => Promise<object> {
  const known: readonly string[] = Object.values(NAMES);
  const given = Object.entries(isObject(handlers) ? handlers : {}).filter(([, handler]) => handler !== undefined);
  if (given.length === 0)
    throw refused('edgeHandler needs a handler: viewerRequest, originRequest, originResponse or viewerResponse');
  for (const [name, handler] of given) {
    if (!known.includes(name)) throw refused(`edgeHandler: unknown place "${name}"`);
    if (typeof handler !== 'function') throw refused(`edgeHandler: ${name} must be a function`);
  }
  return async (event) => {
    const { config, request, response } = partsOf(event);
    const type = config.eventType as EdgeEventType;
    const name = Object.hasOwn(NAMES, type) ? NAMES[type] : undefined;
    const handler = name && handlers[name];
    if (!handler) throw invalidEvent('edge', `no handler for ${name ?? 'this eventType'}`);
    if (type.endsWith('request')) {
      const result = await (handler as EdgeRequestHandler)(request as never, config as never);
      return result === undefined ? request : toAnswer(result, type, request);
    }
    if (!isObject(response)) throw invalidEvent('edge', 'Records[0].cf.response must be an object');
    const result = await (handler as EdgeResponseHandler)(response as never, request as never, config as never);
    return result === undefined
      ? response
      : toResponse(membersOf(toJson('the response', result)), type, membersOf(response));
  };
}

function partsOf(event: unknown) {
  const { Records } = membersOf(event);
  const { cf } = membersOf(Array.isArray(Records) ? Records[0] : undefined);
  const { config, request, response } = membersOf(cf);
  if (!isObject(config) || !isObject(request)) throw invalidEvent('edge', 'Records[0].cf must have config and request');
  return { config: membersOf(config), request: membersOf(request), response };
}

/** A response ends the request; anything else is the changed request. */
function toAnswer(result: unknown, type: EdgeEventType, request: Members): Members {
  const given = membersOf(toJson('the result', result));
  if (given.status !== undefined) return toResponse(given, type, {});
  const { uri, method, clientIp, headers } = given;
  if (!isText(uri) || !uri.startsWith('/') || !isHeaders(headers))
    throw invalidAnswer('must be a request with uri and headers, a response with a status, or undefined');
  if (method !== request.method || clientIp !== request.clientIp)
    throw invalidAnswer('method and clientIp are read-only');
  assertAllowed(headers as object, membersOf(request.headers));
  return given;
}

/** @throws FrameworkError `triggers.invalid_answer` for a response that CloudFront would answer with 502 */
function toResponse(given: Members, type: EdgeEventType, before: Members): Members {
  const { status, headers = {}, body, bodyEncoding = 'text' } = given;
  const text = typeof status === 'number' ? String(status) : stringOf(status);
  if (!/^[2-5]\d\d$/.test(text)) throw invalidAnswer('status must be 200 to 599');
  if (type === 'viewer-response' && text !== String(before.status))
    throw invalidAnswer('a viewer response keeps its status');
  if (!isHeaders(headers)) throw invalidAnswer('headers must be lists of { key, value } by names in lower case');
  assertAllowed(headers as object, membersOf(before.headers));
  const isBody = body === undefined || typeof body === 'string';
  if (!isBody || !['text', 'base64'].includes(String(bodyEncoding))) {
    throw invalidAnswer('body must be a string, bodyEncoding text or base64');
  }
  const most = MAX_BYTES[type.split('-', 1)[0] ?? ''] ?? 0;
  if (Buffer.byteLength(JSON.stringify(headers)) + Buffer.byteLength(stringOf(body)) > most) {
    throw invalidAnswer(`the response has more than ${most} bytes`);
  }
  return { ...given, status: text, headers };
}

function isHeaders(headers: unknown): boolean {
  return (
    isObject(headers) &&
    Object.entries(headers).every(([name, values]) => {
      const isName = /^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name);
      return isName && Array.isArray(values) && values.every((one) => typeof membersOf(one).value === 'string');
    })
  );
}

function assertAllowed(headers: object, before: Members): void {
  const added = Object.keys(headers).find((name) => DISALLOWED.test(name) && !Object.hasOwn(before, name));
  if (added !== undefined) throw invalidAnswer(`a function cannot add the header ${added}`);
}
