/** A JSON Schema of draft 2020-12. A reference is `#/schemas/<name>` of the contract; `x-unknown` is the reason of an unknown schema. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Schemas by name. */
export type Schemas = { readonly [name: string]: JsonSchema };

/** Facts that all entries of a contract have. */
export interface Entry {
  /** The file of the function that serves it, relative to the project. */
  readonly function: string;
}

/** The access rule of an operation. */
export interface Guarded {
  /** `public`, `optional`, `authenticated`, `authenticated_any_of`, `internal_only`; absent in an application without postures. */
  readonly posture?: string;
  /** The scopes of the posture. */
  readonly scopes?: readonly string[];
}

/** One HTTP operation. */
export interface HttpEntry extends Entry, Guarded {
  /** One line about the operation. */
  readonly summary?: string;
  /** OpenAPI tags. */
  readonly tags?: readonly string[];
  /** The path parameters, as an object. */
  readonly params?: JsonSchema;
  /** The query, as an object. */
  readonly query?: JsonSchema;
  /** The headers, as an object. */
  readonly headers?: JsonSchema;
  /** The cookies, as an object. */
  readonly cookies?: JsonSchema;
  /** The request body. */
  readonly body?: JsonSchema;
  /** True if the body can be absent. */
  readonly bodyOptional?: true;
  /** The answers by status; `null` for no body. Absent if the handler does not state them. */
  readonly answer?: { readonly [status: string]: JsonSchema | null };
  /** The codes of errors by status. Absent if the handler does not state them. */
  readonly errors?: { readonly [status: string]: readonly string[] };
  /** The schemas of error bodies by status, where the handler states them. */
  readonly errorBodies?: Schemas;
  /** The data of server-sent events, by type. */
  readonly events?: Schemas;
  /** The operation reads `idempotency-key`. */
  readonly idempotency?: true;
  /** The operation may be repeated unchanged. */
  readonly repeatable?: true;
}

/** One source of messages, or one route of a WebSocket API. */
export interface MessageEntry extends Entry, Guarded {
  /** The message. */
  readonly message: JsonSchema;
  /** The member whose messages must arrive in order: the message group of a FIFO queue, the partition key of a stream. */
  readonly orderedBy?: string;
}

/** The names of the members of WebSocket messages. */
export interface SocketEnvelope {
  /** The member that names the action. */
  readonly route: string;
  /** The member with the type of a message to clients. */
  readonly type: string;
  /** The member with the data. */
  readonly data: string;
}

/** The members of messages of a service that states no others. */
export const PLAIN_ENVELOPE: SocketEnvelope = { route: 'action', type: 'type', data: 'data' };

/** A call with an input and an output. */
export interface CallEntry extends Entry, Guarded {
  /** One line about the call. */
  readonly summary?: string;
  /** The input. */
  readonly input: JsonSchema;
  /** The output. */
  readonly output: JsonSchema;
}

/** An MCP server. */
export interface McpEntry extends Entry, Guarded {
  /** Name, version and other facts, as in `serverInfo`. */
  readonly info: JsonSchema;
  /** The tools, as `tools/list` returns them, with their scopes. */
  readonly tools: readonly JsonSchema[];
  /** The prompts, as `prompts/list` returns them. */
  readonly prompts: readonly JsonSchema[];
  /** The resources, as `resources/list` returns them. */
  readonly resources: readonly JsonSchema[];
  /** The templates, as `resources/templates/list` returns them. */
  readonly templates: readonly JsonSchema[];
}

/** The kinds of message sources. */
export const SOURCE_KINDS = ['queue', 'stream', 'topic', 'bus', 'table', 'event'] as const;
/** A kind of message sources. */
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** A schema that callers see as `unknown`. */
export interface UnknownSchema {
  /** The place: `POST /notes body`. */
  readonly at: string;
  /** The reason. */
  readonly reason: string;
}

/** The contract of a service: its operations and messages, sorted. The file `contract.json`. */
export interface ServiceContract extends Readonly<Record<SourceKind, { readonly [name: string]: MessageEntry }>> {
  /** The version of this format. */
  readonly version: 1;
  /** The name of the service. */
  readonly service: string;
  /** HTTP operations, by method and path. */
  readonly http: { readonly [operation: string]: HttpEntry };
  /** WebSocket messages: from clients by route key, to clients by type. */
  readonly socket: {
    readonly in: { readonly [route: string]: MessageEntry };
    readonly out: { readonly [type: string]: MessageEntry };
    /** The names of the members of messages, where the service states them. */
    readonly envelope?: SocketEnvelope;
  };
  /** MCP servers, by path. */
  readonly mcp: { readonly [path: string]: McpEntry };
  /** MCP tools, by name. */
  readonly tool: { readonly [name: string]: CallEntry };
  /** Invocations by name. */
  readonly invoke: { readonly [name: string]: CallEntry };
  /** GraphQL fields, by type and field. */
  readonly field: { readonly [field: string]: CallEntry };
  /** The named schemas. */
  readonly schemas: Schemas;
  /** The schemas that could not be written. */
  readonly unknown: readonly UnknownSchema[];
  /** Names that were changed, because two schemas have the same. */
  readonly renamed: readonly string[];
}
