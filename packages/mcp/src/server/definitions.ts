import type { MaybePromise } from '@sallyport/core';
import type {
  Annotations,
  AskKind,
  CallToolResult,
  GetPromptResult,
  Icon,
  JsonObject,
  PromptMessage,
  ReadResourceResult,
  ToolAnnotations,
} from '../protocol/types.js';
import type { InputRequired, McpContext } from '../run/context.js';
import type { StandardSchema } from './schemas.js';

/** How long, and by whom, a stateless-era answer may be kept. */
export interface CacheHint {
  /** Milliseconds; 0 is not at all. */
  readonly ttlMs?: number;
  readonly scope?: 'public' | 'private';
}

/** What tools, resources, templates and prompts have in common. */
export interface HandlerOptions {
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
  /** What the handler may ask the client for; anything else that it asks is an internal error. */
  readonly asks?: readonly AskKind[];
  /** The same, and a client without these capabilities is refused before the handler runs. */
  readonly requires?: readonly AskKind[];
  /** All of them, or the answer is HTTP 403. */
  readonly scopes?: readonly string[];
}

/** A JSON Schema, or a Standard Schema validator. */
export type SchemaInput = JsonObject | StandardSchema;

/** The type that a handler gets of a schema. */
export type SchemaOutput<S> = S extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : JsonObject;

export interface ToolOptions<I extends SchemaInput = SchemaInput, O extends SchemaInput = SchemaInput>
  extends HandlerOptions {
  /** Root type `object`. Default: any object. */
  readonly input?: I;
  /** Beside a validator that cannot give its own. */
  readonly inputJsonSchema?: JsonObject;
  /** Of the structured result; checked before it is sent. */
  readonly output?: O;
  readonly outputJsonSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
}

/** A string is one text block; `structured` is sent as structured content and as text. */
export type ToolAnswer = string | { readonly structured: object } | CallToolResult | InputRequired;
export type ToolHandler<Args> = (args: Args, ctx: McpContext) => MaybePromise<ToolAnswer>;

export interface ResourceOptions extends HandlerOptions {
  readonly name: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: Annotations;
  readonly cache?: CacheHint;
}

/** Text, bytes, or a full result; nothing means that there is no such resource. */
export type ResourceAnswer = string | Uint8Array | ReadResourceResult | InputRequired | null | undefined;
export type ResourceHandler = (uri: string, ctx: McpContext) => MaybePromise<ResourceAnswer>;

/** Values to choose from, or a function of what was typed and of the arguments that are already there. */
export type Completer =
  | readonly string[]
  | ((
      value: string,
      args: Readonly<Record<string, string>>,
      ctx: McpContext,
    ) => MaybePromise<readonly string[] | CompletionAnswer>);

export interface CompletionAnswer {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

export interface ResourceTemplateOptions extends ResourceOptions {
  /** Completers by variable. */
  readonly complete?: Readonly<Record<string, Completer>>;
}

export type ResourceTemplateHandler = (
  variables: Readonly<Record<string, string>>,
  ctx: McpContext,
  uri: string,
) => MaybePromise<ResourceAnswer>;

export interface PromptArgument {
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly complete?: Completer;
}

export interface PromptOptions extends HandlerOptions {
  readonly args?: Readonly<Record<string, PromptArgument>>;
}

/** A string is one message of the user's. */
export type PromptAnswer = string | readonly PromptMessage[] | GetPromptResult | InputRequired;
export type PromptHandler = (args: Readonly<Record<string, string>>, ctx: McpContext) => MaybePromise<PromptAnswer>;

/** An entry of one of the four lists, as `listFilter` sees it. */
export interface ListedItem {
  readonly kind: 'tool' | 'prompt' | 'resource' | 'template';
  /** Name, or URI of a resource, or text of a template. */
  readonly name: string;
  readonly scopes: readonly string[];
}

/** What changed: a resource's contents, or what a list holds. */
export type Change = { readonly resource: string } | { readonly list: 'tools' | 'prompts' | 'resources' };
