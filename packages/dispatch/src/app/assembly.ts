import type { LambdaContext, RequestInput, Response, TriggerKind } from '@sallyport/core';
import { type AppSyncOptions, AppSyncSurface } from '@sallyport/appsync/surface';
import type { PipelineOptions } from '@sallyport/http';
import {
  type DescribePosture,
  HttpSurface,
  type Kernel,
  type StreamAccess,
  toRouteRecord,
  WebSocketSurface,
} from '@sallyport/http/pipeline';
import { createEventRouter, type EventRouter, type EventRouterOptions } from '@sallyport/streams';
import { createDispatcherWith, type Dispatcher } from '../dispatcher.js';

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
