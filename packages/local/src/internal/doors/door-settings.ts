import type { ClientAnswer, ClientAnswerOptions, HttpDoorKind } from '@sallyport/testkit/events';
import type { Config } from '../config/config.js';
import type { DeployedJwt } from '../deployed/deployed.js';
import type { DoorHost, DoorRequest } from './request.js';
import { findRoute, parseRoute, type RouteMatch } from './route.js';

/** Deployed settings of one door. */
export interface DoorSettings {
  readonly multiValueHeaders: boolean;
  readonly binaryMediaTypes: readonly string[];
  /** True if no file states the binary media types. */
  readonly isBinaryAssumed: boolean;
  readonly stage: string | undefined;
  readonly stageVariables: Readonly<Record<string, string>> | undefined;
  readonly routes: readonly string[];
  /** The file that states the routes, as messages name it. */
  readonly file: string;
  /** The JWT authorizers of the deployed API by route. */
  readonly jwt: Readonly<Record<string, DeployedJwt>>;
}

/** Names of the doors in templates, plans and manifests. */
const DEPLOYED_KINDS: Readonly<Record<HttpDoorKind, string>> = {
  'gateway-v2': 'http-api',
  'gateway-v1': 'rest-api',
  'function-url': 'function-url',
  'load-balancer': 'load-balancer',
};

/**
 * The settings of a door: of `sallyport.json`, else of the deployed function. If none states `binaryMediaTypes`, the REST API of a
 * Sallyport service has the default of the constructs, all types; the REST API of another handler has the default of API Gateway, an
 * empty list.
 */
export function doorSettings(
  { config, inspection }: Pick<DoorHost, 'config' | 'inspection'>,
  kind: HttpDoorKind,
): DoorSettings {
  const { stageVariables, multiValueHeaders, deployed } = config;
  const door = deployed?.fn.doors.find((one) => one.kind === DEPLOYED_KINDS[kind]);
  const isOwn = config.routes.length > 0;
  const stated = config.binaryMediaTypes ?? door?.binaryMediaTypes;
  return {
    multiValueHeaders: multiValueHeaders ?? door?.multiValueHeaders ?? false,
    binaryMediaTypes: stated ?? (inspection().isOurs ? ['*/*'] : []),
    isBinaryAssumed: stated === undefined,
    stage: config.stage ?? door?.stage,
    stageVariables,
    routes: isOwn ? config.routes : (door?.routes ?? []),
    file: isOwn || deployed === undefined ? 'sallyport.json' : deployed.file,
    jwt: door?.jwt ?? {},
  };
}

/** The front doors of the deployed function; empty if no file names them. */
export function deployedDoors({ deployed }: Pick<Config, 'deployed'>): readonly HttpDoorKind[] {
  const kinds = deployed?.fn.doors.map(({ kind }) => kind) ?? [];
  return HTTP_KINDS.filter((kind) => kinds.includes(DEPLOYED_KINDS[kind]));
}

const HTTP_KINDS = ['gateway-v2', 'gateway-v1', 'function-url', 'load-balancer'] as const;

/** The settings that the response to a request depends on. */
export function answerOptions(settings: DoorSettings, { headers }: DoorRequest): ClientAnswerOptions {
  const accept = headers.find(([name]) => name.toLowerCase() === 'accept')?.[1];
  const { multiValueHeaders: multiValue, binaryMediaTypes } = settings;
  return { multiValue, binaryMediaTypes, ...(accept !== undefined && { accept }) };
}

/** The route of a request to a gateway; `undefined` if no routes are stated, `none` if no route fits. */
export function routeOf(
  { routes }: Pick<DoorSettings, 'routes'>,
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
export function noRoute(
  kind: HttpDoorKind,
  { file }: Pick<DoorSettings, 'file'>,
): { readonly reason: string; readonly client: ClientAnswer } {
  const [status, message] = kind === 'gateway-v1' ? [403, 'Missing Authentication Token'] : [404, 'Not Found'];
  const headers = [['content-type', 'application/json'] as const];
  const client = { status, headers, body: Buffer.from(JSON.stringify({ message })) };
  return { reason: `no route of ${file} fits`, client };
}
