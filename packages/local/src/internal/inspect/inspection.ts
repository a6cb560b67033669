import type { DescribedService } from '@sallyport/contract/service';
import type { LambdaContext } from '@sallyport/core';

/** One registered operation of a Sallyport service. */
export interface RouteView {
  /** `http`, `appsync` or `websocket`. */
  readonly surface: string;
  /** `GET /notes/{id}`, `Query.note`, `$connect`. */
  readonly name: string;
  /** The function, in a run of several functions. */
  readonly function?: string;
  /** `public`, `authenticated` and so on; `null` in an app without security. */
  readonly posture: string | null;
  readonly scopes: readonly string[];
  readonly streaming: boolean;
  /** For HTTP operations. */
  readonly method?: string;
  readonly pattern?: string;
  /** For GraphQL fields. */
  readonly parentType?: string;
  readonly field?: string;
  /** For GraphQL fields that resolve their elements in batches. */
  readonly batch?: boolean;
  /** For WebSocket routes. */
  readonly routeKey?: string;
  /** For WebSocket routes: the member of a message that names the route. */
  readonly action?: string;
  /** For WebSocket routes: the JSON Schema of the message; absent if the handler has no schema. */
  readonly payload?: Readonly<Record<string, unknown>>;
}

/** One registered event handler of a Sallyport service. */
export interface TriggerView {
  /** `queue`, `table-stream`, `stream`, `topic`, `event-bus`, or the kind of an extension. */
  readonly kind: string;
  /** The queue, stream, topic or table; `''` for a selector of a bus. */
  readonly name: string;
  /** The function, in a run of several functions. */
  readonly function?: string;
  readonly selector?: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, unknown>>;
  /** The JSON Schema of the payload; absent if the handler has no schema. */
  readonly payload?: Readonly<Record<string, unknown>>;
}

/** A function's description of itself. If the handler is not a Sallyport handler, `isOurs` is `false` and the lists are empty. */
export interface Inspection {
  readonly isOurs: boolean;
  readonly routes: readonly RouteView[];
  readonly triggers: readonly TriggerView[];
  /** Paths of MCP servers. */
  readonly mcp: readonly string[];
  /** True if the export streams its response. */
  readonly streaming: boolean;
  /** Runs `explain` in the function's process; for a handler that is not a Sallyport handler, only with the built-in table. */
  explain(event: unknown, lambdaContext?: LambdaContext): Promise<unknown>;
  /** The OpenAPI document of the HTTP operations; `null` if the function does not generate it. */
  openapi(): Promise<unknown>;
  /** The registrations with their schemas, for the contract: one description for each file of functions that has started. */
  contract(): Promise<readonly DescribedService[]>;
}
