import { FrameworkError } from '@sallyport/core';
import { isObject } from '@sallyport/core/internal';
import type { SocketEnvelope } from './contract.js';

/** The JSON Schema of one direction, or the reason why it is missing. */
export type Written = { readonly json: Readonly<Record<string, unknown>> } | { readonly reason: string };

/** A schema in a description. */
export interface DescribedSchema {
  readonly 'schema:': { readonly input: Written; readonly output: Written };
}

/** One line of `app.routes()`, with the facts for callers. */
export interface DescribedRoute {
  /** `http`, `websocket` or `appsync`. */
  readonly surface: string;
  /** The HTTP method. */
  readonly method?: string;
  /** The pattern of the path. */
  readonly path?: string;
  /** The name of the posture. */
  readonly posture?: string;
  /** The scopes that the posture requires. */
  readonly scopes?: readonly string[];
  /** The tags of the route. */
  readonly tags?: readonly string[];
  /** The GraphQL type of the field. */
  readonly appSyncParentType?: string;
  /** The GraphQL field. */
  readonly appSyncField?: string;
  /** The route key of a WebSocket API. */
  readonly webSocketRouteKey?: string;
  /** Schemas and facts that the registration states for callers, by their names. */
  readonly states?: Readonly<Record<string, unknown>>;
  /** The registry of an MCP server that is mounted at the route. */
  readonly mcp?: Readonly<
    Record<'tools' | 'prompts' | 'resources' | 'templates', readonly Record<string, unknown>[]>
  > & {
    readonly info: Readonly<Record<string, unknown>>;
  };
}

/** One line of `app.triggers()`, with the schema of its payload. */
export interface DescribedTrigger {
  /** The kind of the trigger, such as `queue`. */
  readonly kind: string;
  /** The name of the source. */
  readonly name?: string;
  /** The selector of events of a bus. */
  readonly selector?: Readonly<Partial<Record<'source' | 'detailType' | 'ruleName' | 'scheduleName', string>>>;
  /** The options of the registration. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** The schema of the payload, if one is stated. */
  readonly payload?: unknown;
  /** The member of the payload that determines the order. */
  readonly orderedBy?: string;
}

/** The description of one function, as `describe` of `@sallyport/contract/describe` returns it. */
export interface DescribedService {
  /** The file of the function, relative to the project. */
  readonly function: string;
  /** The lines of `app.routes()`. */
  readonly routes: readonly DescribedRoute[];
  /** The lines of `app.triggers()`. */
  readonly triggers: readonly DescribedTrigger[];
  /** The schemas of the messages that the function sends to WebSocket clients, by name. */
  readonly sends: Readonly<Record<string, unknown>>;
  /** The names of the members of WebSocket messages, if the function states them. */
  readonly envelope?: Readonly<Partial<SocketEnvelope>>;
}

/** True if a part of a description is a schema. */
export function isDescribedSchema(value: unknown): value is DescribedSchema {
  return isObject(value) && Object.hasOwn(value, 'schema:');
}

/** The error for contracts that cannot be written, joined or read. */
export function contractError(problem: string): FrameworkError {
  return new FrameworkError('app.invalid_configuration', `framework: contract: ${problem}`);
}
