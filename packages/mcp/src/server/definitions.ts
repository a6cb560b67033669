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
  /** `public`: shared caches may keep the answer. Default `private`: only the caller's own may. */
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

/** Options of a tool; an unknown key is refused. */
export interface ToolOptions<I extends SchemaInput = SchemaInput, O extends SchemaInput = SchemaInput>
  extends HandlerOptions {
  /** Root type `object`. Default: any object. */
  readonly input?: I;
  /** Beside a validator that cannot give its own. */
  readonly inputJsonSchema?: JsonObject;
  /** Of the structured result; checked before it is sent. */
  readonly output?: O;
  /** Listed instead of what the validator `output` gives of itself; needed when it gives none. */
  readonly outputJsonSchema?: JsonObject;
  /** Hints for the client: whether the tool only reads, destroys, may be repeated. */
  readonly annotations?: ToolAnnotations;
}

/** A string is one text block; `structured` is sent as structured content and as text. */
export type ToolAnswer = string | { readonly structured: object } | CallToolResult | InputRequired;
/** Runs a tool. `args` passed the tool's `input` schema. */
export type ToolHandler<Args> = (args: Args, ctx: McpContext) => MaybePromise<ToolAnswer>;

/** Options of a resource; an unknown key is refused. */
export interface ResourceOptions extends HandlerOptions {
  /** Name in lists; required and not empty. */
  readonly name: string;
  /** Media type of the contents, in lists and in answers. */
  readonly mimeType?: string;
  /** Size of the contents in bytes, for lists. */
  readonly size?: number;
  /** Hints for the client: for whom it is, how important, how old. */
  readonly annotations?: Annotations;
  /** For how long a stateless-era answer may be kept. Default: the server's option `cache`. */
  readonly cache?: CacheHint;
}

/** Text, bytes, or a full result; nothing means that there is no such resource. */
export type ResourceAnswer = string | Uint8Array | ReadResourceResult | InputRequired | null | undefined;
/** Reads a resource. It gets the URI that was asked for. */
export type ResourceHandler = (uri: string, ctx: McpContext) => MaybePromise<ResourceAnswer>;

/** Values to choose from, or a function of what was typed and of the arguments that are already there. */
export type Completer =
  | readonly string[]
  | ((
      value: string,
      args: Readonly<Record<string, string>>,
      ctx: McpContext,
    ) => MaybePromise<readonly string[] | CompletionAnswer>);

/** What a completer answers when it knows more than the values. */
export interface CompletionAnswer {
  /** Values to offer, best first; the first 100 are sent. */
  readonly values: readonly string[];
  /** How many values there are in all. Default: the number of values, when some were cut. */
  readonly total?: number;
  /** Whether there are more values than were sent. Default: whether some were cut. */
  readonly hasMore?: boolean;
}

/** Options of a resource template; an unknown key is refused. */
export interface ResourceTemplateOptions extends ResourceOptions {
  /** Completers by variable. */
  readonly complete?: Readonly<Record<string, Completer>>;
}

/** Reads a resource of a template. `variables` are percent-decoded once, in a map without a prototype. */
export type ResourceTemplateHandler = (
  variables: Readonly<Record<string, string>>,
  ctx: McpContext,
  uri: string,
) => MaybePromise<ResourceAnswer>;

/** One argument of a prompt. */
export interface PromptArgument {
  /** Name for people. */
  readonly title?: string;
  /** What the argument is for. */
  readonly description?: string;
  /** Whether a request without it is refused. Default `false`. */
  readonly required?: boolean;
  /** What completes a value that a person types. */
  readonly complete?: Completer;
}

/** Options of a prompt; an unknown key is refused. */
export interface PromptOptions extends HandlerOptions {
  /** The arguments, by name. Default none. */
  readonly args?: Readonly<Record<string, PromptArgument>>;
}

/** A string is one message of the user's. */
export type PromptAnswer = string | readonly PromptMessage[] | GetPromptResult | InputRequired;
/** Makes the messages of a prompt. `args` holds texts only, and is a map without a prototype. */
export type PromptHandler = (args: Readonly<Record<string, string>>, ctx: McpContext) => MaybePromise<PromptAnswer>;

/** An entry of one of the four lists, as `listFilter` sees it. */
export interface ListedItem {
  /** Which of the four lists the entry is in; `template` is a resource template. */
  readonly kind: 'tool' | 'prompt' | 'resource' | 'template';
  /** Name, or URI of a resource, or text of a template. */
  readonly name: string;
  /** Scopes that a caller needs. */
  readonly scopes: readonly string[];
}

/** What changed: a resource's contents, or what a list holds. */
export type Change = { readonly resource: string } | { readonly list: 'tools' | 'prompts' | 'resources' };
