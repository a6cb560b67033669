import {
  type AuthHook,
  assertKnownOptions,
  assertTypes,
  type Clock,
  type Environment,
  type IdGenerator,
  invalidOption,
  type LambdaContext,
  type Logger,
  type MaybePromise,
  type Observability,
  type PolicyHook,
  type WebSocketClient,
} from '@sallyport/core';
import { parseLog } from '@sallyport/core/pipeline';
import { type CorsOptions, parseCors } from './cors.js';
import { HTTP_ERROR_FORMAT_FLAT_LEGACY, HTTP_ERROR_FORMAT_NESTED, type HttpErrorFormat } from './error-body.js';
import { configuredEndpoint } from '../websocket/internal/endpoint.js';

/** How much the pipeline does: P0 routes and gates, P1 adds ids, CORS and limits, P2 adds policy and observability. */
export type Tier = 'p0' | 'p1' | 'p2';

/** Sizes in bytes; 0 is no limit of ours (the front door's own remains). */
export interface Limits {
  readonly maxRequestBytes?: number;
  readonly maxResponseBytes?: number;
}

export type WebSocketClientFactory = (
  endpoint: string,
  lambdaContext: LambdaContext | undefined,
) => MaybePromise<WebSocketClient>;

/** Options that every container with a request pipeline takes. */
export interface PipelineOptions {
  readonly clock?: Clock;
  readonly ids?: IdGenerator;
  /** Default `p2`. */
  readonly tier?: Tier;
  /** Default nested. HTTP only. */
  readonly httpErrorFormat?: HttpErrorFormat;
  readonly limits?: Limits;
  /** Without it no CORS header is ever sent and no preflight is answered. */
  readonly cors?: CorsOptions;
  /** Tier P2. */
  readonly policyHook?: PolicyHook;
  readonly observability?: Observability;
  /** Gets failures, and what `ctx.log` writes; `false` for silence. Default: JSON lines on standard output, see the README. */
  readonly log?: Logger | false;
  /** Read instead of `process.env`. */
  readonly environment?: Environment;
  readonly webSocketClientFactory?: WebSocketClientFactory;
  /**
   * URL that messages to WebSocket connections are posted to, for an API whose default endpoint is disabled. Default: the
   * variable `FRAMEWORK_WEBSOCKET_ENDPOINT`, else `https://{apiId}.execute-api.{region}.amazonaws.com/{stage}` of the event.
   */
  readonly webSocketEndpoint?: string;
  /** Literal path prefixes of whole segments; the longest that fits is removed once before routing. */
  readonly basePath?: string | readonly string[];
  /** Lets `HEAD` without a route of its own run `GET`'s. Default false. */
  readonly autoHead?: boolean;
}

export interface OpenPipelineOptions extends PipelineOptions {
  /** Names the caller of routes registered with `authRequired`. */
  readonly authHook?: AuthHook;
}

/** Names of {@link PipelineOptions}, for containers that check their own options. */
export const PIPELINE_OPTIONS = [
  'clock',
  'ids',
  'tier',
  'httpErrorFormat',
  'limits',
  'cors',
  'policyHook',
  'observability',
  'log',
  'environment',
  'webSocketClientFactory',
  'webSocketEndpoint',
  'basePath',
  'autoHead',
] as const;

const TYPES = {
  authHook: 'function',
  policyHook: 'function',
  webSocketClientFactory: 'function',
  clock: 'object',
  ids: 'object',
  limits: 'object',
  cors: 'object',
  observability: 'object',
  environment: 'object',
  autoHead: 'boolean',
} as const;

/**
 * Checks the values of the pipeline's options; their names are the container's to check.
 *
 * @throws FrameworkError `app.invalid_configuration` that names the option
 */
export function assertPipelineOptions(options: OpenPipelineOptions): void {
  const { tier, limits } = options;
  if (tier !== undefined && !['p0', 'p1', 'p2'].includes(tier)) throw invalidOption('tier', 'p0, p1 or p2');
  assertErrorFormat(options.httpErrorFormat);
  assertTypes(options, TYPES);
  parseLog(options.log, {});
  if (limits) parseLimits(limits);
  if (options.cors) parseCors(options.cors);
  configuredEndpoint(options.webSocketEndpoint, {});
  parseBasePath(options.basePath);
}

/** @throws FrameworkError `app.invalid_configuration` */
export function assertErrorFormat(format: unknown): void {
  const formats: unknown[] = [undefined, HTTP_ERROR_FORMAT_NESTED, HTTP_ERROR_FORMAT_FLAT_LEGACY];
  if (!formats.includes(format)) throw invalidOption('httpErrorFormat', 'nested or flat_legacy');
}

/** @throws FrameworkError `app.invalid_configuration` for anything but whole numbers of bytes */
export function parseLimits(limits: Limits): Limits {
  assertKnownOptions(limits, ['maxRequestBytes', 'maxResponseBytes']);
  for (const name of ['maxRequestBytes', 'maxResponseBytes'] as const) {
    const value = limits[name];
    if (value !== undefined && (!Number.isSafeInteger(value) || value < 0)) {
      throw invalidOption(`limits.${name}`, 'a whole number of bytes, 0 for none');
    }
  }
  return limits;
}

/** The prefixes, longest first, without a trailing slash. */
export function parseBasePath(basePath: unknown): string[] {
  const list: unknown[] = basePath === undefined ? [] : Array.isArray(basePath) ? basePath : [basePath];
  return list.map(parsePrefix).sort((a, b) => b.length - a.length);
}

function parsePrefix(prefix: unknown): string {
  const valid = typeof prefix === 'string' && /^(\/[^/?#]+)+$/.test(prefix);
  if (!valid) throw invalidOption('basePath', 'a path of whole segments such as /api, or a list of them');
  return prefix;
}
