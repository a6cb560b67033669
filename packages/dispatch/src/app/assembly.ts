import { type AppSyncOptions, AppSyncSurface } from '@sallyport/appsync/surface';
import type { LambdaContext, RequestInput, Response, Surface, Target, TriggerKind } from '@sallyport/core';
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
import { createEventRouter, type EventRouter, type EventRouterOptions } from '@sallyport/streams';
import { createDispatcherWith, type Dispatcher } from '../dispatcher.js';
import { dispatchError, noAdapterText } from '../errors.js';

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
}

type Entrypoint = (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown>;

/** The direct entrypoints of all adapters, bound. */
export interface Entrypoints {
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
  const events = createEventRouter(init.events, init.failureText);
  const sockets = init.servesWebSocket ? openWhen(webSocket, init.servesWebSocket) : webSocket;
  const dispatcher = createDispatcherWith({ log: pipeline.log }, http, sockets, appSync, events);
  return {
    kernel,
    http,
    webSocket,
    appSync,
    events,
    dispatcher,
    entrypoints: bindEntrypoints(http, webSocket, appSync),
    streamAccess: { http, detect: dispatcher.detect },
  };
}

/** A surface that counts as missing until it is wanted. */
function openWhen(surface: Surface, isOpen: () => boolean): Surface {
  return {
    serves: surface.serves,
    async serve(kind, event, invocation) {
      if (!isOpen()) throw dispatchError('dispatch.no_adapter', noAdapterText(kind));
      return surface.serve(kind, event, invocation);
    },
    explainTarget: (kind, event) => surface.explainTarget?.(kind, event) as Target,
  };
}

function bindEntrypoints(http: HttpSurface, webSocket: WebSocketSurface, appSync: AppSyncSurface): Entrypoints {
  const bind =
    (surface: HttpSurface | WebSocketSurface | AppSyncSurface, kind: TriggerKind): Entrypoint =>
    (event, lambdaContext) =>
      surface.serve(kind, event, { lambdaContext });
  return {
    serveGatewayV2: bind(http, 'gateway-v2'),
    serveLambdaFunctionURL: bind(http, 'function-url'),
    serveGatewayProxy: bind(http, 'gateway-v1'),
    serveLoadBalancer: bind(http, 'load-balancer'),
    serveWebSocket: bind(webSocket, 'websocket'),
    serveAppSync: bind(appSync, 'appsync'),
    serve: (request, lambdaContext) => serveDirect(http, request, lambdaContext),
  };
}

/** The options under the given names, as they are. */
export function pickOptions<T extends object>(options: T, names: readonly string[]): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name))) as Partial<T>;
}
