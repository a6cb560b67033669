import type { Json, JsonObject } from './json.js';

/** A fixture with its expansions made. `fixture.schema.json` is the whole description. */
export interface Fixture {
  readonly id: string;
  readonly area: string;
  readonly name: string;
  readonly covers?: readonly string[];
  readonly setup: Setup;
  readonly input: { readonly steps: readonly Step[] };
  readonly expect: Expectation;
}

/** A name of `handlers.json`, alone or with parameters; `null` is no function. */
export type Named = string | null | { readonly use: string; readonly with?: JsonObject };

export interface Setup {
  readonly container: 'open' | 'secure' | 'events' | 'none';
  /** In snake_case. */
  readonly options?: JsonObject;
  readonly clock?: string;
  readonly ids?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly lambda?: LambdaSetup | null;
  /** What the principal resolver answers; absent: no resolver. */
  readonly principal?: Json;
  /** The framework's own resolver of bearer tokens, in the place of one that answers `principal`. */
  readonly bearer?: BearerSetup;
  readonly middlewares?: readonly Named[];
  readonly event_middlewares?: readonly Named[];
  readonly register?: readonly Registration[];
}

export interface BearerSetup {
  readonly issuer: string;
  readonly audience: readonly string[];
  /** The issuer's public keys. */
  readonly jwks: JsonObject;
}

export interface LambdaSetup {
  readonly request_id?: string;
  readonly remaining_ms?: number;
  readonly tenant_id?: string;
  readonly trace_id?: string;
  readonly function_name?: string;
  /** Any JSON value; `null` is not the same as absent. */
  readonly client_context?: Json;
  readonly cognito_identity_id?: string;
}

export interface Registration {
  readonly surface:
    | 'http'
    | 'appsync'
    | 'appsync-batch'
    | 'websocket'
    | 'queue'
    | 'table-stream'
    | 'stream'
    | 'topic'
    | 'event-bus'
    | 'mcp';
  readonly method?: string;
  readonly pattern?: string;
  readonly parent_type?: string;
  readonly field?: string;
  readonly route_key?: string;
  readonly name?: string;
  readonly selector?: JsonObject;
  readonly posture?: { readonly kind: string; readonly scopes?: readonly string[] };
  readonly options?: JsonObject;
  /** Of every surface but `mcp`. */
  readonly handler?: Named;
  /** Of the mount of an MCP server; its other options are the server's. */
  readonly allowed_origins?: readonly string[];
  readonly tools?: readonly McpItem[];
  readonly prompts?: readonly McpItem[];
  readonly resources?: readonly McpItem[];
}

/** A tool or prompt by its name, a resource by its URI. */
export interface McpItem {
  readonly name: string;
  /** In snake_case; schemas, annotations and icons as the protocol has them. */
  readonly options?: JsonObject;
  readonly handler: Named;
}

export interface Step {
  readonly call: string;
  readonly event?: Json;
  readonly request?: JsonObject;
  readonly args?: Json;
  readonly lambda?: LambdaSetup | null;
  readonly principal?: Json;
  readonly advance_ms?: number;
}

export interface Expectation {
  readonly construction_error?: JsonObject;
  readonly forbidden?: readonly string[];
  readonly steps?: readonly JsonObject[];
}

/** Every area that a fixture may belong to. */
export const AREAS: readonly string[] = [
  ...['invocation', 'detection', 'explain'],
  ...['doors', 'answers', 'routes', 'pipeline', 'provenance', 'faults'],
  ...['gate', 'inventory', 'contract-doc'],
  ...['graph', 'sockets'],
  ...['queues', 'tables', 'streams', 'topics', 'bus', 'workloads', 'logsub', 'producer'],
  ...['redaction', 'signals', 'tracing', 'naming'],
  ...['mcp-sessions', 'mcp-stateless', 'oauth-bearer', 'facade'],
  ...['objects', 'artifacts', 'vectors', 'ledger', 'quota', 'vm'],
];
