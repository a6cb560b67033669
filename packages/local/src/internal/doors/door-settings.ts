import type { ClientAnswer, ClientAnswerOptions, HttpDoorKind } from '@sallyport/testkit/events';
import type { Config } from '../config/config.js';
import type { DoorHost, DoorRequest } from './request.js';
import { findRoute, parseRoute, type RouteMatch } from './route.js';

/** Deployed settings of the doors. */
export interface DoorSettings {
  readonly multiValueHeaders: boolean;
  readonly binaryMediaTypes: readonly string[];
  readonly stage: string | undefined;
  readonly stageVariables: Readonly<Record<string, string>> | undefined;
}

/**
 * The settings of the doors. Without `binaryMediaTypes`, the REST API of a Sallyport service has the default of the constructs, all
 * types; the REST API of another handler has the default of API Gateway, an empty list.
 */
export function doorSettings({ config, inspection }: Pick<DoorHost, 'config' | 'inspection'>): DoorSettings {
  const { stage, stageVariables, multiValueHeaders } = config;
  const binaryMediaTypes = config.binaryMediaTypes ?? (inspection().isOurs ? ['*/*'] : []);
  return { binaryMediaTypes, stage, stageVariables, multiValueHeaders };
}

/** The settings that the response to a request depends on. */
export function answerOptions(settings: DoorSettings, { headers }: DoorRequest): ClientAnswerOptions {
  const accept = headers.find(([name]) => name.toLowerCase() === 'accept')?.[1];
  const { multiValueHeaders: multiValue, binaryMediaTypes } = settings;
  return { multiValue, binaryMediaTypes, ...(accept !== undefined && { accept }) };
}

/** The route of a request to a gateway; `undefined` if no routes are configured, `none` if no route fits. */
export function routeOf(
  { routes }: Pick<Config, 'routes'>,
  kind: HttpDoorKind,
  { method, path }: DoorRequest,
): RouteMatch | 'none' | undefined {
  if (routes.length === 0 || (kind !== 'gateway-v1' && kind !== 'gateway-v2')) return undefined;
  const parsed = routes.flatMap((route) => parseRoute(route) ?? []);
  return findRoute(parsed, method, path.split('?', 1)[0] ?? '') ?? 'none';
}

/**
 * The response of a gateway to a request without a route.
 *
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html,
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
export function noRoute(kind: HttpDoorKind): { readonly reason: string; readonly client: ClientAnswer } {
  const [status, message] = kind === 'gateway-v1' ? [403, 'Missing Authentication Token'] : [404, 'Not Found'];
  const headers = [['content-type', 'application/json'] as const];
  const client = { status, headers, body: Buffer.from(JSON.stringify({ message })) };
  return { reason: 'no route of "routes" in sallyport.json fits', client };
}
