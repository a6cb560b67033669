import type { LambdaContext } from '@sallyport/core';

/** One registered operation of a service of ours. */
export interface RouteView {
  /** `http`, `appsync` or `websocket`. */
  readonly surface: string;
  /** `GET /notes/{id}`, `Query.note`, `$connect`. */
  readonly name: string;
  /** `public`, `authenticated` and so on; `null` in the open container. */
  readonly posture: string | null;
  readonly scopes: readonly string[];
  readonly streaming: boolean;
  /** Of HTTP operations. */
  readonly method?: string;
  readonly pattern?: string;
  /** Of GraphQL fields. */
  readonly parentType?: string;
  readonly field?: string;
  /** Of GraphQL fields whose elements are answered together. */
  readonly batch?: boolean;
  /** Of WebSocket routes. */
  readonly routeKey?: string;
}

/** One registered event handler of a service of ours. */
export interface TriggerView {
  /** `queue`, `table-stream`, `stream`, `topic`, `event-bus`, or the kind of an extension. */
  readonly kind: string;
  /** The queue, stream, topic or table; `''` for a selector of a bus. */
  readonly name: string;
  readonly selector?: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, unknown>>;
}

/** What a function says of itself. A handler that is not ours says nothing: `isOurs` is `false`, and the lists are empty. */
export interface Inspection {
  readonly isOurs: boolean;
  readonly routes: readonly RouteView[];
  readonly triggers: readonly TriggerView[];
  /** Paths of MCP servers. */
  readonly mcp: readonly string[];
  /** True if the export streams its answer. */
  readonly streaming: boolean;
  /** Runs `explain` in the function's own process; for a handler that is not ours the fixed table alone. */
  explain(event: unknown, lambdaContext?: LambdaContext): Promise<unknown>;
  /** The OpenAPI document of the HTTP operations; `null` when the function describes none. */
  openapi(): Promise<unknown>;
}
