import type { MaybePromise, StandardSchema } from '@sallyport/core';
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
import type { InputRequired, McpAskingContext, McpContext } from '../run/context.js';
import type { ToolTask } from '../tasks/options.js';
import type { ToolApp } from './apps.js';

/** Cache lifetime and scope of a stateless-era answer. */
export interface CacheHint {
  /** Milliseconds; 0 means no caching. */
  readonly ttlMs?: number;
  /** `public`: shared caches may store the answer. Default `private`: only the caller's cache. */
  readonly scope?: 'public' | 'private';
}

/**
 * Common options of tools, resources, templates and prompts. `Asks`: the kinds of questions that the handler may send to the
 * client.
 */
export interface HandlerOptions<Asks extends AskKind = AskKind> {
  /** Display name. */
  readonly title?: string;
  /** Description for the client's model. */
  readonly description?: string;
  /** Icons that a client may show. */
  readonly icons?: readonly Icon[];
  /** Data for programs, by name; the protocol reserves some names. */
  readonly _meta?: JsonObject;
  /** Kinds of questions to the client; the handler's context has methods only for these kinds. Default none. */
  readonly asks?: readonly Asks[];
  /** Like `asks`, but the server rejects clients without these capabilities before the handler runs. Default none. */
  readonly requires?: readonly Asks[];
  /** Scopes that a caller needs, all of them; otherwise the answer is HTTP 403, and lists leave the entry out. Default none. */
  readonly scopes?: readonly string[];
  /** The caller needs at least one of these scopes, in addition to all of `scopes`. Default none. */
  readonly anyScope?: readonly string[];
}

/** A JSON Schema, or a Standard Schema validator. */
export type SchemaInput = JsonObject | StandardSchema;

/** The output type of a schema, which is the handler's argument type. */
export type SchemaOutput<S> = S extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : JsonObject;

/** The type of a structured result for a schema. */
type Structured<S> = S extends {
  readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined };
}
  ? Input
  : object;

/** Options of a tool; an unknown key is rejected. */
export interface ToolOptions<
  I extends SchemaInput = SchemaInput,
  O extends SchemaInput = SchemaInput,
  Asks extends AskKind = AskKind,
> extends HandlerOptions<Asks> {
  /** Root type `object`, or a union of objects. Default: any object. */
  readonly input?: I;
  /** The JSON Schema of `input`, for a validator that does not provide one. */
  readonly inputJsonSchema?: JsonObject;
  /** The schema of the structured result, which is checked before it is sent. */
  readonly output?: O;
  /** The JSON Schema of `output` for lists, for a validator that does not provide one. */
  readonly outputJsonSchema?: JsonObject;
  /** Rules for calls that become tasks, which continue after their request; needs the option `tasks` of the server. Default: never. */
  readonly task?: ToolTask;
  /** Shows the result in an app of the server, if the host supports apps. Default none. */
  readonly app?: ToolApp;
  /** Hints for the client: the tool only reads, destroys, or may be repeated. */
  readonly annotations?: ToolAnnotations;
  /**
   * True if the caller may call the tool with these arguments; `false`, or an error, leads to a result with `isError`. For lists
   * it is called without arguments, and determines if the tool is listed. Default: every caller with the scopes may call the tool.
   */
  readonly authorize?: (ctx: McpContext, args: NoInfer<SchemaOutput<I>> | undefined) => MaybePromise<boolean>;
}

/**
 * The return value of a tool. A string is one text block; `structured` is sent as structured content and as text. A tool with the
 * option `output` returns a structured result of that type, or an error.
 */
export type ToolAnswer<O = undefined> = [O] extends [SchemaInput]
  ?
      | { readonly structured: Structured<O> }
      | (Omit<CallToolResult, 'structuredContent'> & { readonly structuredContent: Structured<O> })
      | (Omit<CallToolResult, 'isError'> & { readonly isError: true })
      | InputRequired
  : string | { readonly structured: object } | CallToolResult | InputRequired;
/** Runs a tool. `args` passed the tool's `input` schema. */
export type ToolHandler<Args, O = undefined, Asks extends AskKind = never> = (
  args: Args,
  ctx: McpAskingContext<Asks>,
) => MaybePromise<ToolAnswer<O>>;

/** Options of a resource; an unknown key is rejected. */
export interface ResourceOptions<Asks extends AskKind = AskKind> extends HandlerOptions<Asks> {
  /** Name in lists; required and not empty. */
  readonly name: string;
  /** Media type of the contents, in lists and in answers. */
  readonly mimeType?: string;
  /** Size of the contents in bytes, for lists. */
  readonly size?: number;
  /** Hints for the client: audience, priority, time of the last change. */
  readonly annotations?: Annotations;
  /** Cache lifetime and scope of a stateless-era answer. Default: the server's option `cache`. */
  readonly cache?: CacheHint;
  /**
   * True if the caller may read this resource, and subscribe to it. `false`, or an error, is answered as for an unknown
   * resource. It is also called for lists, for a template without a URI. Default: every caller with the scopes may.
   */
  readonly authorize?: (ctx: McpContext, uri: string | undefined) => MaybePromise<boolean>;
}

/** Text, bytes, or a full result; `undefined` means that the resource does not exist. */
export type ResourceAnswer = string | Uint8Array | ReadResourceResult | InputRequired | null | undefined;
/** Reads a resource. It receives the requested URI. */
export type ResourceHandler<Asks extends AskKind = never> = (
  uri: string,
  ctx: McpAskingContext<Asks>,
) => MaybePromise<ResourceAnswer>;

/** Values to choose from, or a function of the typed text and the other arguments. */
export type Completer =
  | readonly string[]
  | ((
      value: string,
      args: Readonly<Record<string, string>>,
      ctx: McpContext,
    ) => MaybePromise<readonly string[] | CompletionAnswer>);

/** The result of a completer that returns the total number, too. */
export interface CompletionAnswer {
  /** Values to offer, best first; the first 100 are sent. */
  readonly values: readonly string[];
  /** The total number of values. Default: the number of `values`, if some were left out. */
  readonly total?: number;
  /** True if there are more values than were sent. Default: true if some were left out. */
  readonly hasMore?: boolean;
}

/** The names of a template's variables: `'id' | 'path'` of `notes://{id}/{+path}`. */
export type TemplateNames<T extends string> = string extends T
  ? string
  : T extends `${string}{${infer Name}}${infer Rest}`
    ? (Name extends `+${infer Reserved}` ? Reserved : Name) | TemplateNames<Rest>
    : never;

/** Options of a resource template; an unknown key is rejected. */
export interface ResourceTemplateOptions<T extends string = string, Asks extends AskKind = AskKind>
  extends ResourceOptions<Asks> {
  /** Completers by variable. */
  readonly complete?: { readonly [Name in TemplateNames<T>]?: Completer };
}

/** Reads a resource of a template. `variables` are percent-decoded once, in a map without a prototype. */
export type ResourceTemplateHandler<T extends string = string, Asks extends AskKind = never> = (
  variables: { readonly [Name in TemplateNames<T>]: string },
  ctx: McpAskingContext<Asks>,
  uri: string,
) => MaybePromise<ResourceAnswer>;

/** One argument of a prompt. */
export interface PromptArgument {
  /** Display name. */
  readonly title?: string;
  /** Purpose of the argument. */
  readonly description?: string;
  /** True if a request without it is rejected. Default `false`. */
  readonly required?: boolean;
  /** Completes a value that a user types. */
  readonly complete?: Completer;
}

/** The arguments of a prompt, by name. */
export type PromptArguments = Readonly<Record<string, PromptArgument>>;

/** The arguments of a prompt for its handler: strings, or `undefined` for an absent optional argument. */
export type PromptValues<A> = {
  readonly [Name in keyof A]: A[Name] extends { readonly required: true } ? string : string | undefined;
};

/** Options of a prompt; an unknown key is rejected. */
export interface PromptOptions<A extends PromptArguments = PromptArguments, Asks extends AskKind = AskKind>
  extends HandlerOptions<Asks> {
  /** The arguments, by name. Default none. */
  readonly args?: A;
}

/** A string is sent as one message of the user. */
export type PromptAnswer = string | readonly PromptMessage[] | GetPromptResult | InputRequired;
/** Creates the messages of a prompt. `args` is a map without a prototype. */
export type PromptHandler<A = PromptArguments, Asks extends AskKind = never> = (
  args: PromptValues<A>,
  ctx: McpAskingContext<Asks>,
) => MaybePromise<PromptAnswer>;

/** An entry of one of the four lists, as the argument of `listFilter`. */
export interface ListedItem {
  /** The list of the entry; `template` is a resource template. */
  readonly kind: 'tool' | 'prompt' | 'resource' | 'template';
  /** Name, URI of a resource, or URI template. */
  readonly name: string;
  /** Scopes that a caller needs, all of them. */
  readonly scopes: readonly string[];
  /** Scopes of which the caller needs at least one; empty if not restricted. */
  readonly anyScope: readonly string[];
}

/** Options of `publish`. */
export interface PublishOptions {
  /** Tenant whose listeners are notified. Default: all listeners. */
  readonly tenantId?: string;
}

/** A change: the contents of a resource, or the entries of a list. */
export type Change = { readonly resource: string } | { readonly list: 'tools' | 'prompts' | 'resources' };
