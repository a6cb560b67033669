import type { StandardSchema } from '@sallyport/core';

/** Any value that `JSON.stringify` does not change. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };
/** A JSON object with unknown members. */
export type JsonObject = Record<string, unknown>;
/** The id of a JSON-RPC request; a number must be an integer. */
export type RequestId = string | number;
/** The `_meta` of a request. All of it comes from the client; members of the trace context are strings or absent. */
export interface RequestMeta {
  /** Trace context of the client (https://www.w3.org/TR/trace-context/): `00-<trace>-<span>-<flags>`. */
  readonly traceparent?: string;
  /** Data of tracing systems, in addition to `traceparent`. */
  readonly tracestate?: string;
  /** Names and values for all spans of the trace (https://www.w3.org/TR/baggage/). */
  readonly baggage?: string;
  readonly [name: string]: unknown;
}
/** Levels of log messages (RFC 5424), lowest first. */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';
/** The protocol era of a request: with sessions (until 2025-11-25), or without (2026-07-28). */
export type Era = 'session' | 'stateless';

/** An image that a client may show. */
export interface Icon {
  /** URL of the image: `https:` or `data:`. */
  src: string;
  /** Media type, if the URL does not show it. */
  mimeType?: string | undefined;
  /** Sizes of the image: `48x48`, or `any` for a scalable image. */
  sizes?: string[] | undefined;
  /** The background that the image is made for. Absent: any background. */
  theme?: 'light' | 'dark' | undefined;
}

/** Name and version of a client or a server. */
export interface Implementation {
  /** Name for programs. */
  name: string;
  /** Version, in any form. */
  version: string;
  /** Display name. */
  title?: string | undefined;
  /** Its purpose. */
  description?: string | undefined;
  /** Web page. */
  websiteUrl?: string | undefined;
  /** Icons that may be shown. */
  icons?: Icon[] | undefined;
}

/** JSON that may be changed. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
type JsonMap = Record<string, JsonValue>;

/** The capabilities that a client declares. */
export type ClientCapabilities = {
  /** Capabilities outside the protocol, by name. */
  experimental?: Record<string, JsonMap> | undefined;
  /** Supports requests for the directories that the client works in. */
  roots?: { listChanged?: boolean | undefined } | undefined;
  /** Supports requests to its model; with `tools` the request may contain tools. */
  sampling?: { context?: JsonMap | undefined; tools?: JsonMap | undefined } | undefined;
  /** Supports questions to the user by `form`, by `url`, or by form if both are absent. */
  elicitation?: ({ form?: JsonMap | undefined; url?: JsonMap | undefined } & JsonMap) | undefined;
  /** Extensions of the protocol by id, with their settings. */
  extensions?: Record<string, JsonMap> | undefined;
};

/** Hints about contents. */
export interface Annotations {
  /** The audience of the contents. Absent: both. */
  audience?: ('user' | 'assistant')[] | undefined;
  /** From 0 (optional) to 1 (required). */
  priority?: number | undefined;
  /** ISO 8601 with an offset. */
  lastModified?: string | undefined;
}

/** A string as part of a result or of a message. */
export interface TextContent {
  /** Distinguishes the kinds of content. */
  type: 'text';
  /** The text. */
  text: string;
  /** Hints about the contents. */
  annotations?: Annotations | undefined;
  /** Data for programs, by name; the protocol reserves some names. */
  _meta?: JsonObject | undefined;
}

/** An image. */
export interface ImageContent {
  /** Distinguishes the kinds of content. */
  type: 'image';
  /** The image in base64. */
  data: string;
  /** Media type of the image. */
  mimeType: string;
  /** Hints about the contents. */
  annotations?: Annotations | undefined;
  /** Data for programs, by name; the protocol reserves some names. */
  _meta?: JsonObject | undefined;
}

/** Audio. */
export interface AudioContent {
  /** Distinguishes the kinds of content. */
  type: 'audio';
  /** The sound in base64. */
  data: string;
  /** Media type of the sound. */
  mimeType: string;
  /** Hints about the contents. */
  annotations?: Annotations | undefined;
  /** Data for programs, by name; the protocol reserves some names. */
  _meta?: JsonObject | undefined;
}

/** A resource that the client may read later. */
export interface ResourceLink {
  /** Distinguishes the kinds of content. */
  type: 'resource_link';
  /** URI of the resource. */
  uri: string;
  /** Name for programs. */
  name: string;
  /** Display name. */
  title?: string | undefined;
  /** Description of the contents. */
  description?: string | undefined;
  /** Media type of the contents. */
  mimeType?: string | undefined;
  /** Size of the contents in bytes. */
  size?: number | undefined;
  /** Hints about the contents. */
  annotations?: Annotations | undefined;
  /** Icons that may be shown. */
  icons?: Icon[] | undefined;
  /** Data for programs, by name; the protocol reserves some names. */
  _meta?: JsonObject | undefined;
}

/** Text contents of a resource. */
export interface TextResourceContents {
  /** URI of the resource. */
  uri: string;
  /** Media type of the contents. */
  mimeType?: string | undefined;
  /** The text. */
  text: string;
  /** Data for programs, by name; the protocol reserves some names. */
  _meta?: JsonObject | undefined;
}

/** Binary contents of a resource. */
export interface BlobResourceContents {
  /** URI of the resource. */
  uri: string;
  /** Media type of the contents. */
  mimeType?: string | undefined;
  /** The bytes in base64. */
  blob: string;
  /** Data for programs, by name; the protocol reserves some names. */
  _meta?: JsonObject | undefined;
}

/** Contents of a resource: text or bytes. */
export type ResourceContents = TextResourceContents | BlobResourceContents;

/** A resource with its contents. */
export interface EmbeddedResource {
  /** Distinguishes the kinds of content. */
  type: 'resource';
  /** The contents with their URI. */
  resource: ResourceContents;
  /** Hints about the contents. */
  annotations?: Annotations | undefined;
  /** Data for programs, by name; the protocol reserves some names. */
  _meta?: JsonObject | undefined;
}

/** One part of a tool's result or of a prompt's message. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** The full result of a tool. */
export interface CallToolResult {
  /** Content for the model. */
  content: ContentBlock[];
  /** The same result as data; validated with the tool's `output` schema. */
  structuredContent?: unknown;
  /** True if the tool failed; the content then describes the error. Default `false`. */
  isError?: boolean | undefined;
  /** Data for programs, by name; the protocol reserves some names. */
  _meta?: JsonObject | undefined;
  /** Further members are kept. */
  [member: string]: unknown;
}

/** The full result of reading a resource. */
export interface ReadResourceResult {
  /** The contents; a directory can have several entries. */
  contents: ResourceContents[];
  /** Data for programs, by name; the protocol reserves some names. */
  _meta?: JsonObject | undefined;
  /** Further members are kept. */
  [member: string]: unknown;
}

/** One message of a prompt. */
export interface PromptMessage {
  /** The speaker. */
  role: 'user' | 'assistant';
  /** Content of the message. */
  content: ContentBlock;
}

/** The full result of a prompt. */
export interface GetPromptResult {
  /** Purpose of the prompt. */
  description?: string | undefined;
  /** The messages, in order. */
  messages: PromptMessage[];
  /** Data for programs, by name; the protocol reserves some names. */
  _meta?: JsonObject | undefined;
  /** Further members are kept. */
  [member: string]: unknown;
}

/** Hints about what a tool does. Clients do not rely on them. */
export interface ToolAnnotations {
  /** Display name. */
  title?: string | undefined;
  /** True if the tool changes nothing. Default `false`. */
  readOnlyHint?: boolean | undefined;
  /** True if the tool may destroy data, not only add. Default `true`. */
  destructiveHint?: boolean | undefined;
  /** True if repeated calls with the same arguments have no additional effect. Default `false`. */
  idempotentHint?: boolean | undefined;
  /** True if the tool interacts with systems outside the server, such as the web. Default `true`. */
  openWorldHint?: boolean | undefined;
}

/** A directory or file that the client works in. */
export interface Root {
  /** A `file:` URI. */
  uri: string;
  /** Display name. */
  name?: string | undefined;
  /** Data for programs, by name; the protocol reserves some names. */
  _meta?: JsonObject | undefined;
}

/** The user's reaction: answered, declined, or closed the question. */
export type ElicitAction = 'accept' | 'decline' | 'cancel';

/** A form as a flat JSON Schema. */
export interface FormSchema {
  /** Forms are objects. */
  type: 'object';
  /** The fields of the form, each with a schema of a string, a number, a boolean or a choice. */
  properties: Record<string, JsonObject>;
  /** Fields that must be filled in. */
  required?: string[];
}

/** A form to fill in, or a web page to visit. */
export interface ElicitRequest<T = JsonObject> {
  /** The message to the user. */
  message: string;
  /**
   * The form: a flat JSON Schema, or a Standard Schema validator that provides one; the content of the answer is then the
   * validator's output. Absent with the mode `url`.
   */
  requestedSchema?: FormSchema | StandardSchema<unknown, T> | undefined;
  /** `form` requests values, `url` sends the user to a page. Absent: `form`. */
  mode?: 'form' | 'url' | undefined;
  /** The page to visit, with the mode `url`. */
  url?: string | undefined;
  /** The id of the visit, with the mode `url`. */
  elicitationId?: string | undefined;
  /** Data for programs, by name; the protocol reserves some names. */
  _meta?: JsonObject | undefined;
  /** Type of the content, for inference only; never sent. */
  readonly contentType?: T | undefined;
}

/** The result of `ctx.elicit`. It has `content` only if the user accepted. */
export type ElicitAnswer<T = JsonObject> =
  | { readonly action: 'accept'; readonly content: T; readonly _meta?: JsonObject | undefined }
  | {
      readonly action: 'decline' | 'cancel';
      readonly content?: undefined;
      readonly _meta?: JsonObject | undefined;
    };

/** The user's answer, as the client sends it. */
export interface ElicitResult<T = JsonObject> {
  /** The user's reaction. */
  action: ElicitAction;
  /** The values of the form, if the action is `accept`. */
  content?: T | undefined;
  /** Data for programs, by name; the protocol reserves some names. */
  _meta?: JsonObject | undefined;
}

/** One message for the client's model. */
export interface SamplingMessage {
  /** The speaker. */
  role: 'user' | 'assistant';
  /** Content of the message. */
  content: TextContent | ImageContent | AudioContent | JsonObject | JsonObject[];
}

/** A question to the client's model. */
export interface SampleRequest {
  /** The conversation, in order. */
  messages: SamplingMessage[];
  /** Maximum number of tokens in the answer. */
  maxTokens: number;
  /** Instructions for the model. The client may change them. */
  systemPrompt?: string | undefined;
  /** The randomness of the output; the model determines the range. */
  temperature?: number | undefined;
  /** Strings at which the model stops. */
  stopSequences?: string[] | undefined;
  /** Preferences for the choice of the model: `ModelPreferences` of the protocol. */
  modelPreferences?: JsonObject | undefined;
  /** Servers whose context the client adds. */
  includeContext?: 'none' | 'thisServer' | 'allServers' | undefined;
  /** Tools that the model may use; the client must declare `sampling.tools`. */
  tools?: JsonObject[] | undefined;
  /** Rule for the use of tools: `ToolChoice` of the protocol. */
  toolChoice?: JsonObject | undefined;
  /** Settings for the provider of the model. */
  metadata?: JsonObject | undefined;
  /** Data for programs, by name; the protocol reserves some names. */
  _meta?: JsonObject | undefined;
}

/** The answer of the client's model. */
export interface SampleResult {
  /** The speaker, usually `assistant`. */
  role: 'user' | 'assistant';
  /** Content of the message. */
  content: TextContent | ImageContent | AudioContent | JsonObject | JsonObject[];
  /** Name of the model that answered. */
  model: string;
  /** Reason for the end: `endTurn`, `stopSequence`, `maxTokens`, or a reason of the provider. */
  stopReason?: string | undefined;
  /** Data for programs, by name; the protocol reserves some names. */
  _meta?: JsonObject | undefined;
}

/** The answer to a request for roots. */
export interface RootsResult {
  /** The roots, in the client's order. */
  roots: Root[];
  /** Data for programs, by name; the protocol reserves some names. */
  _meta?: JsonObject | undefined;
}

/** Kinds of requests from a handler to the client. */
export type AskKind = 'elicitation' | 'sampling' | 'roots';

/** The parameters of `elicitation/create`: the form is a JSON Schema. */
export interface ElicitParams extends Omit<ElicitRequest, 'requestedSchema' | 'contentType'> {
  /** The form. Absent with the mode `url`. */
  requestedSchema?: FormSchema | undefined;
}

/** One question to the client, by the method of the protocol. */
export type InputRequest =
  | { method: 'elicitation/create'; params: ElicitParams }
  | { method: 'sampling/createMessage'; params: SampleRequest }
  | { method: 'roots/list'; params?: JsonObject };
/** Questions by key. */
export type InputRequests = Readonly<Record<string, InputRequest>>;
/** An answer of the client. */
export type InputResponse = ElicitResult | SampleResult | RootsResult;
/** A map without a prototype. */
export type InputResponses = Readonly<Record<string, InputResponse | undefined>>;
