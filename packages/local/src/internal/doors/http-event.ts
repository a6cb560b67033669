import { randomUUID } from 'node:crypto';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  type FunctionUrlEvent,
  type GatewayProxyEvent,
  type GatewayV2Event,
  type HttpDoorKind,
  type LoadBalancerEvent,
} from '@sallyport/testkit/events';
import type { Config } from '../config/config.js';
import type { DoorDecision } from './authorizer.js';
import type { DoorRequest } from './request.js';

/** The event of one HTTP door. */
export type DoorEvent = GatewayProxyEvent | GatewayV2Event | FunctionUrlEvent | LoadBalancerEvent;

/** The event of a request, as its door sends it. */
export function toEvent(kind: HttpDoorKind, request: DoorRequest, config: Config, decision: DoorDecision): DoorEvent {
  const { method, path } = request;
  const { authorizer, identity } = decision.isAllowed ? decision.context : {};
  const options = { ...httpOptions(request), ...(authorizer && { authorizer }) };
  switch (kind) {
    case 'gateway-v2':
      return buildAPIGatewayV2Request(method, path, options);
    case 'function-url':
      return buildLambdaFunctionURLRequest(method, path, { routeKey: '$default', ...options });
    case 'gateway-v1': {
      const event = buildAPIGatewayProxyRequest(method, path, options);
      const { requestContext } = event;
      return { ...event, requestContext: { ...requestContext, identity: { ...requestContext.identity, ...identity } } };
    }
    case 'load-balancer': {
      // The event has no ids and no times; the client's address is in a header.
      const { sourceIp: _ip, requestId: _id, time: _time, ...rest } = options;
      return buildLoadBalancerRequest(method, path, { multiValue: config.multiValueHeaders, ...rest });
    }
  }
}

function httpOptions({ headers, body, sourceIp }: DoorRequest) {
  const all: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of headers) all[name] = [...(all[name] ?? []), value];
  const bytes = Buffer.from(body);
  const content =
    bytes.length === 0 ? {} : { body: isTextBody(headers, bytes) ? bytes.toString('utf8') : new Uint8Array(bytes) };
  return { headers: all, sourceIp, requestId: randomUUID(), time: new Date(), ...content };
}

const TEXT = /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|javascript|graphql|x-www-form-urlencoded)\b)/i;

/** Doors send text unchanged, and all other bodies in base64. */
function isTextBody(headers: DoorRequest['headers'], bytes: Buffer): boolean {
  const header = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  if (header('content-encoding') !== undefined || !TEXT.test(header('content-type') ?? 'text/plain')) return false;
  return Buffer.from(bytes.toString('utf8')).equals(bytes);
}

/** The trace that the client continues. */
export function traceOf({ headers }: DoorRequest): { readonly traceId?: string } {
  const traceId = headers.find(([name]) => name.toLowerCase() === 'x-amzn-trace-id')?.[1];
  return traceId === undefined ? {} : { traceId };
}
