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
  isTextBody,
  type LoadBalancerEvent,
} from '@sallyport/testkit/events';
import type { DoorDecision } from './authorizer.js';
import type { DoorSettings } from './door-settings.js';
import type { DoorRequest } from './request.js';
import type { RouteMatch } from './route.js';

/** The event of one HTTP door. */
export type DoorEvent = GatewayProxyEvent | GatewayV2Event | FunctionUrlEvent | LoadBalancerEvent;

/** The event of a request, as its door sends it. @param match the route of a gateway; `undefined` if routes are not configured */
export function toEvent(
  kind: HttpDoorKind,
  request: DoorRequest,
  { settings, decision, match }: { settings: DoorSettings; decision: DoorDecision; match: RouteMatch | undefined },
): DoorEvent {
  const { method, path } = request;
  const { authorizer, identity } = decision.isAllowed ? decision.context : {};
  const options = { ...httpOptions(kind, request, settings.binaryMediaTypes), ...(authorizer && { authorizer }) };
  const { stage, stageVariables } = settings;
  const hasParameters = match !== undefined && Object.keys(match.parameters).length > 0;
  const gateway = {
    ...options,
    ...(stage !== undefined && { stage }),
    ...(hasParameters && { pathParameters: match.parameters }),
  };
  const variables = stageVariables && { stageVariables: { ...stageVariables } };
  switch (kind) {
    case 'gateway-v2':
      return {
        ...buildAPIGatewayV2Request(method, path, { ...gateway, ...(match && { routeKey: match.route.key }) }),
        ...variables,
      };
    case 'function-url':
      return buildLambdaFunctionURLRequest(method, path, { routeKey: '$default', ...options });
    case 'gateway-v1': {
      const resource = match && `/${match.route.segments.join('/')}`;
      const event = buildAPIGatewayProxyRequest(method, path, {
        ...gateway,
        ...(resource !== undefined && { resource }),
      });
      const { requestContext } = event;
      const merged = { ...requestContext, identity: { ...requestContext.identity, ...identity } };
      return { ...event, requestContext: merged, ...variables };
    }
    case 'load-balancer': {
      // The event has no ids and no times; the client's address is in a header.
      const { sourceIp: _ip, requestId: _id, time: _time, ...rest } = options;
      return buildLoadBalancerRequest(method, path, { multiValue: settings.multiValueHeaders, ...rest });
    }
  }
}

function httpOptions(
  kind: HttpDoorKind,
  { headers, body, sourceIp }: DoorRequest,
  binaryMediaTypes: readonly string[],
) {
  const all: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of headers) all[name] = [...(all[name] ?? []), value];
  const bytes = Buffer.from(body);
  const header = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const sent = { bytes, contentType: header('content-type'), contentEncoding: header('content-encoding') };
  const isText = isTextBody(kind, sent, binaryMediaTypes);
  const content = bytes.length === 0 ? {} : { body: isText ? bytes.toString('utf8') : new Uint8Array(bytes) };
  return { headers: all, sourceIp, requestId: randomUUID(), time: new Date(), ...content };
}

/** The trace that the client continues. */
export function traceOf({ headers }: DoorRequest): { readonly traceId?: string } {
  const traceId = headers.find(([name]) => name.toLowerCase() === 'x-amzn-trace-id')?.[1];
  return traceId === undefined ? {} : { traceId };
}
