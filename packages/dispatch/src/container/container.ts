import { type AppSyncOptions, AppSyncSurface } from '@sallyport/appsync/surface';
import type {
  LambdaContext,
  RequestInput,
  Response,
  Surface,
  SurfaceGate,
  Target,
  TriggerRecord,
} from '@sallyport/core';
import { noAdapter } from '@sallyport/core/pipeline';
import type { PipelineOptions } from '@sallyport/http';
import {
  type DescribePosture,
  HttpSurface,
  type Kernel,
  type StreamAccess,
  serveDirect,
  toHttpOptions,
  WebSocketSurface,
} from '@sallyport/http/pipeline';
import { createEventRouter, type EventRouter, type EventRouterOptions, type Trigger } from '@sallyport/streams';
import { type Dispatcher, toDispatcher } from '../dispatcher.js';
import { createPlan, type DirectInvocations, type Plan, refusalOf } from '../internal/plan.js';
import { bindEntrypoints, kindOfInvocation } from '../internal/serve.js';
import type { EntrypointName } from '../rows.js';
import { attachSurfaces, parseSurfaces } from './internal/host.js';

/** What a container is made of besides its own kernel. */
export interface AssemblyInit {
  readonly kernel: Kernel;
  readonly pipeline: PipelineOptions;
  readonly events: EventRouterOptions;
  readonly appSync: AppSyncOptions;
  /** Whether GraphQL events may fall back to HTTP routes. */
  readonly httpFallback: boolean;
  /** How a masked event failure is worded. */
  readonly failureText?: string;
  readonly describePosture?: DescribePosture;
  /** Asked at each WebSocket event; while it says no there is no adapter for them. */
  readonly servesWebSocket?: () => boolean;
  /** Surfaces beside the container's own. */
  readonly surfaces?: readonly Surface[] | undefined;
  /** Default `serve`. */
  readonly directInvocations?: DirectInvocations | undefined;
  /** Lent to surfaces; of containers whose operations have postures. */
  readonly gate?: SurfaceGate;
}

/** All surfaces of one container behind one dispatcher. */
export interface Assembly {
  readonly kernel: Kernel;
  readonly http: HttpSurface;
  readonly webSocket: WebSocketSurface;
  readonly appSync: AppSyncSurface;
  readonly events: EventRouter;
  readonly dispatcher: Dispatcher;
  readonly entrypoints: Entrypoints;
  readonly streamAccess: StreamAccess;
  /** Event registrations in order, then those of the surfaces; frozen, fresh at each call. */
  readonly triggers: () => readonly (Trigger | TriggerRecord)[];
}

type Entrypoint = (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown>;

/** The direct entrypoints of all adapters, bound. Each asks the Lambda context first, as `handleLambda` does. */
export interface Entrypoints
  extends Pick<
    EventRouter,
    | 'serveQueueEvent'
    | 'serveTableStream'
    | 'serveStreamEvent'
    | 'serveKinesisEvent'
    | 'serveTopicEvent'
    | 'serveEventBus'
  > {
  readonly serveGatewayV2: Entrypoint;
  readonly serveLambdaFunctionURL: Entrypoint;
  readonly serveGatewayProxy: Entrypoint;
  readonly serveLoadBalancer: Entrypoint;
  readonly serveWebSocket: Entrypoint;
  readonly serveAppSync: Entrypoint;
  readonly serve: (request: RequestInput, lambdaContext?: LambdaContext) => Promise<Response>;
}

/** Puts a container's surfaces together. */
export function assemble(init: AssemblyInit): Assembly {
  const { kernel, pipeline, describePosture } = init;
  const described = describePosture ? { describePosture } : {};
  const http = new HttpSurface(kernel, { ...toHttpOptions(pipeline), ...described });
  const webSocket = new WebSocketSurface(kernel, { ...pipeline, ...described });
  const appSync = new AppSyncSurface(kernel, {
    ...init.appSync,
    ...described,
    http: init.httpFallback ? http : undefined,
  });
  const events = createEventRouter({ ...init.events, log: kernel.runtime.log }, init.failureText);
  const sockets = init.servesWebSocket ? openWhen(webSocket, init.servesWebSocket) : webSocket;
  const surfaces = parseSurfaces(init.surfaces);
  const own = [http, sockets, appSync, events];
  const plan = createPlan([...own, ...surfaces], kernel.runtime.log, refusalOf(init.directInvocations));
  attachSurfaces(surfaces, own, init, http);
  return {
    kernel,
    http,
    webSocket,
    appSync,
    events,
    dispatcher: toDispatcher(plan),
    entrypoints: toEntrypoints(plan, http),
    streamAccess: { http, detect: (event, lambdaContext) => kindOfInvocation(plan, event, lambdaContext) },
    triggers: () => Object.freeze([events, ...surfaces].flatMap((surface) => surface.triggers?.() ?? [])),
  };
}

/** A surface that counts as missing until it is wanted. */
function openWhen(surface: Surface, isOpen: () => boolean): Surface {
  return {
    serves: surface.serves,
    async serve(kind, event, invocation) {
      if (!isOpen()) throw noAdapter(kind);
      return surface.serve(kind, event, invocation);
    },
    explainTarget: (kind, event) => surface.explainTarget?.(kind, event) as Target,
  };
}

/** The options under the given names, as they are. */
export function pickOptions<T extends object>(options: T, names: readonly string[]): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name))) as Partial<T>;
}

function toEntrypoints(plan: Plan, http: HttpSurface): Entrypoints {
  const bound = bindEntrypoints(plan) as unknown as Record<EntrypointName, Entrypoint> & Entrypoints;
  return {
    ...bound,
    serveKinesisEvent: bound.serveStreamEvent,
    serve: (request, lambdaContext) => serveDirect(http, request, lambdaContext),
  };
}
