import type { MaybePromise } from '@sallyport/core';
import { boolean, defineOptions, func, integer, kind, oneOf, text } from '@sallyport/core/options';
import type { TestEnv } from '../env/env.js';
import { type Data, object, textMap } from '../internal/kinds.js';
import type { McpDoor } from './exchange.js';

/** A question of the server, with the parameters of its method. */
export interface McpQuestion {
  /** `elicitation/create`, `sampling/createMessage` or `roots/list`. */
  readonly method: string;
  /** As the server sent them. */
  readonly params: Data;
}

/** Answers a question of the server: the result of its method. A function that throws answers with an error. */
export type McpAnswerer = (question: McpQuestion) => MaybePromise<object>;

/** Options of `connectMcp`; an unknown key is rejected. */
export interface McpClientOptions {
  /** Path of the server. Default `/mcp`. */
  readonly path?: string;
  /** The front door that receives the requests. Default `gateway-v2`. */
  readonly door?: McpDoor;
  /** True if the door streams; the app must be a container. Default `false`. */
  readonly streaming?: boolean;
  /** The revision that the client speaks: one with sessions, or `2026-07-28`. Default `2025-11-25`. */
  readonly version?: '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28';
  /** Headers of every request: the caller's credentials. Default none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Declared capabilities of the client. Default: derived from `answer`, else `{}`. */
  readonly capabilities?: object;
  /** Answers the server's questions. Default: a call with a question fails. */
  readonly answer?: McpAnswerer;
  /** Seed for the choice of an instance for each request. Default 1. */
  readonly seed?: number;
  /** Makes the Lambda contexts; its clock advances by the wait that the server specifies. Default: a new environment. */
  readonly env?: TestEnv;
}

/** Validators and defaults for {@link McpClientOptions}. */
export const MCP_CLIENT_OPTIONS = defineOptions<McpClientOptions>()({
  path: text('a path').default('/mcp'),
  door: oneOf('gateway-v2', 'function-url', 'gateway-v1', 'load-balancer').default('gateway-v2'),
  streaming: boolean.default(false),
  version: oneOf('2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28').default('2025-11-25'),
  headers: textMap.default({}),
  capabilities: object<object>(),
  answer: func<McpAnswerer>(),
  seed: integer(0).default(1),
  env: kind<TestEnv>(
    'a test environment',
    (value) => typeof value === 'object' && value !== null && 'lambdaContext' in value,
  ),
});

/** Options of one request. */
export interface McpRequestOptions {
  /** Called with each progress notification; the request then contains a progress token. */
  readonly onProgress?: (progress: Data) => void;
  /** Called with every other notification in the answer. */
  readonly onNotification?: (method: string, params: Data) => void;
  /** Drops the connection once, after this number of messages of the answer; the client then resumes. Default: never. */
  readonly cutAfter?: number;
  /** Members of the request's `_meta`. Default none. */
  readonly meta?: object;
}

/** Validators and defaults for {@link McpRequestOptions}. */
export const MCP_REQUEST_OPTIONS = defineOptions<McpRequestOptions>()({
  onProgress: func<(progress: Data) => void>(),
  onNotification: func<(method: string, params: Data) => void>(),
  cutAfter: integer(1),
  meta: object<object>().default({}),
});
