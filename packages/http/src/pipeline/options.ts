import type {
  AuthHook,
  Clock,
  DoorsOptions,
  Environment,
  IdGenerator,
  Logger,
  Observability,
  PolicyHook,
} from '@sallyport/core';
import { DOORS_KIND } from '@sallyport/core/internal';
import { defineOptions, func, oneOf } from '@sallyport/core/options';
import { CORS_KIND, cors } from '#cors';
import { HOOK_KINDS, hooks } from '#hooks';
import { OBSERVABILITY_KIND } from '#observability';
import { WEBSOCKET_KINDS } from '#websocket';
import type { HttpSurfaceOptions } from '../surface/http-surface.js';
import type { WebSocketClientFactory } from '../websocket/internal/transport.js';
import type { CorsOptions } from './cors.js';
import type { HttpErrorFormat } from './error-body.js';
import type { ErrorHook, NotFoundHook, ResponseHook } from './hooks.js';
import { createKernel, type Kernel, type Limits, legacyTenant, ROUTER_KINDS, type Tier } from './kernel.js';
import { authHookGate } from './stages.js';

/** Options of every container with a request pipeline. */
export interface PipelineOptions {
  /** The source of time and timers. Default: the machine's clock. */
  readonly clock?: Clock;
  /** The generator of request ids. Default: random. */
  readonly ids?: IdGenerator;
  /**
   * The front doors of the function: an HTTP, WebSocket or GraphQL event that did not come through one of them is rejected
   * before any code reads it. Default: the variable `FRAMEWORK_DOORS`, which the constructs set; without it any invocation
   * may contain a request.
   */
  readonly doors?: DoorsOptions;
  /** The amount of work of the pipeline. Default `p2`. */
  readonly tier?: Tier;
  /** Shape of error bodies. Default `nested`. HTTP only. */
  readonly httpErrorFormat?: HttpErrorFormat;
  /** Called for every failed or rejected request; may return the answer. `undefined` keeps the default answer. HTTP only. */
  readonly onError?: ErrorHook;
  /** Called for an unknown path; may return the answer. `undefined` keeps the default 404. HTTP only. */
  readonly notFound?: NotFoundHook;
  /** Called with every answer right before it is sent, also errors and preflights; may set headers and cookies. HTTP only. */
  readonly onResponse?: ResponseHook;
  /** Limits on bodies, in bytes, at tier P1 and above. Default: the limits of the front door. */
  readonly limits?: Limits;
  /** Cross-origin requests. Without it no CORS header is ever sent and no preflight is answered. */
  readonly cors?: CorsOptions;
  /** Called for every routed request before the gate; a decision with a code becomes the answer. Tier P2. */
  readonly policyHook?: PolicyHook;
  /** Hooks for records, metrics and spans; declares the metrics of `ctx.metric`. Tier P2. */
  readonly observability?: Observability;
  /** Receives failures and the lines of `ctx.log`; `false` to turn off logging. Default: JSON lines on standard output, see the README. */
  readonly log?: Logger | false;
  /** Environment variables instead of `process.env`. */
  readonly environment?: Environment;
  /** Creates the clients that send to WebSocket connections. Default: the AWS client, loaded when a first message is sent. */
  readonly webSocketClientFactory?: WebSocketClientFactory;
  /**
   * URL for messages to WebSocket connections, if the standard endpoint of the API is disabled. Default: the
   * variable `FRAMEWORK_WEBSOCKET_ENDPOINT`, else `https://{apiId}.execute-api.{region}.amazonaws.com/{stage}` of the event.
   */
  readonly webSocketEndpoint?: string;
  /** Literal path prefixes of whole segments; the longest matching prefix is removed once before routing. */
  readonly basePath?: string | readonly string[];
  /** `HEAD` without its own route runs the route of `GET`. Default false. */
  readonly autoHead?: boolean;
}

/** Options of the open container's pipeline. */
export interface OpenPipelineOptions extends PipelineOptions {
  /** Returns the identity of the caller for routes with `authRequired`. Without it these routes answer 401. */
  readonly authHook?: AuthHook;
}

/** Validators for each of {@link PipelineOptions}, for containers that add their own options. */
export const PIPELINE_OPTION_KINDS = {
  ...ROUTER_KINDS,
  doors: DOORS_KIND,
  tier: oneOf<Tier>('p0', 'p1', 'p2'),
  cors: CORS_KIND,
  ...HOOK_KINDS,
  observability: OBSERVABILITY_KIND,
  ...WEBSOCKET_KINDS,
};

/** Validators for each of {@link OpenPipelineOptions}. */
export const OPEN_PIPELINE_OPTION_KINDS = { ...PIPELINE_OPTION_KINDS, authHook: func<AuthHook>() };

const OPTIONS = /* @__PURE__ */ defineOptions<OpenPipelineOptions>()(OPEN_PIPELINE_OPTION_KINDS);

/**
 * Creates the kernel of an open container.
 *
 * @throws FrameworkError `app.invalid_configuration` that names an unknown or wrong option
 */
export function createOpenKernel(options: OpenPipelineOptions): Kernel {
  OPTIONS.parse(options);
  return createKernel(options, { gate: authHookGate(options.authHook), tenantOf: legacyTenant });
}

/** The container's options for HTTP only, each as an own member, so that prototypes are ignored. */
export function toHttpOptions(options: PipelineOptions): HttpSurfaceOptions {
  const { httpErrorFormat, basePath, autoHead, onError, notFound, onResponse, cors: origins } = options;
  return {
    httpErrorFormat,
    basePath,
    autoHead,
    cors: origins && cors(origins),
    hooks: hooks({ onError, notFound, onResponse }),
  };
}
