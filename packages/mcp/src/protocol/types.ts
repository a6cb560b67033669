/** Anything that `JSON.stringify` keeps as it is. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };
export type JsonObject = Record<string, unknown>;
export type RequestId = string | number;
/** Levels of log messages (RFC 5424), lowest first. */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';
/** Which family of revisions a request speaks: with sessions (until 2025-11-25), or without (2026-07-28). */
export type Era = 'session' | 'stateless';

export interface Icon {
  src: string;
  mimeType?: string | undefined;
  sizes?: string[] | undefined;
  theme?: 'light' | 'dark' | undefined;
}

/** Name and version of a client or a server. */
export interface Implementation {
  name: string;
  version: string;
  title?: string | undefined;
  description?: string | undefined;
  websiteUrl?: string | undefined;
  icons?: Icon[] | undefined;
}

/** JSON that may be changed. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
type JsonMap = Record<string, JsonValue>;

export type ClientCapabilities = {
  experimental?: Record<string, JsonMap> | undefined;
  roots?: { listChanged?: boolean | undefined } | undefined;
  sampling?: { context?: JsonMap | undefined; tools?: JsonMap | undefined } | undefined;
  elicitation?: ({ form?: JsonMap | undefined; url?: JsonMap | undefined } & JsonMap) | undefined;
  extensions?: Record<string, JsonMap> | undefined;
};

export interface Annotations {
  audience?: ('user' | 'assistant')[] | undefined;
  priority?: number | undefined;
  /** ISO 8601 with an offset. */
  lastModified?: string | undefined;
}

export interface TextContent {
  type: 'text';
  text: string;
  annotations?: Annotations | undefined;
  _meta?: JsonObject | undefined;
}

/** Base64 in `data`. */
export interface ImageContent {
  type: 'image';
  data: string;
  mimeType: string;
  annotations?: Annotations | undefined;
  _meta?: JsonObject | undefined;
}

/** Base64 in `data`. */
export interface AudioContent {
  type: 'audio';
  data: string;
  mimeType: string;
  annotations?: Annotations | undefined;
  _meta?: JsonObject | undefined;
}

export interface ResourceLink {
  type: 'resource_link';
  uri: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  size?: number | undefined;
  annotations?: Annotations | undefined;
  icons?: Icon[] | undefined;
  _meta?: JsonObject | undefined;
}

export interface TextResourceContents {
  uri: string;
  mimeType?: string | undefined;
  text: string;
  _meta?: JsonObject | undefined;
}

/** Base64 in `blob`. */
export interface BlobResourceContents {
  uri: string;
  mimeType?: string | undefined;
  blob: string;
  _meta?: JsonObject | undefined;
}

export type ResourceContents = TextResourceContents | BlobResourceContents;

export interface EmbeddedResource {
  type: 'resource';
  resource: ResourceContents;
  annotations?: Annotations | undefined;
  _meta?: JsonObject | undefined;
}

export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

export interface CallToolResult {
  content: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
  _meta?: JsonObject | undefined;
  /** Nothing is trimmed. */
  [member: string]: unknown;
}

export interface ReadResourceResult {
  contents: ResourceContents[];
  _meta?: JsonObject | undefined;
  /** Nothing is trimmed. */
  [member: string]: unknown;
}

export interface PromptMessage {
  role: 'user' | 'assistant';
  content: ContentBlock;
}

export interface GetPromptResult {
  description?: string | undefined;
  messages: PromptMessage[];
  _meta?: JsonObject | undefined;
  /** Nothing is trimmed. */
  [member: string]: unknown;
}

export interface ToolAnnotations {
  title?: string | undefined;
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
  openWorldHint?: boolean | undefined;
}

export interface Root {
  uri: string;
  name?: string | undefined;
  _meta?: JsonObject | undefined;
}

export type ElicitAction = 'accept' | 'decline' | 'cancel';

/** A JSON Schema of flat properties, or a web page to visit. */
export interface ElicitRequest<T = JsonObject> {
  message: string;
  requestedSchema?: { type: 'object'; properties: Record<string, JsonObject>; required?: string[] } | undefined;
  mode?: 'form' | 'url' | undefined;
  url?: string | undefined;
  elicitationId?: string | undefined;
  _meta?: JsonObject | undefined;
  /** Names the type of the content; never sent. */
  readonly contentType?: T | undefined;
}

export interface ElicitResult<T = JsonObject> {
  action: ElicitAction;
  content?: T | undefined;
  _meta?: JsonObject | undefined;
}

export interface SamplingMessage {
  role: 'user' | 'assistant';
  content: TextContent | ImageContent | AudioContent | JsonObject | JsonObject[];
}

export interface SampleRequest {
  messages: SamplingMessage[];
  maxTokens: number;
  systemPrompt?: string | undefined;
  temperature?: number | undefined;
  stopSequences?: string[] | undefined;
  modelPreferences?: JsonObject | undefined;
  includeContext?: 'none' | 'thisServer' | 'allServers' | undefined;
  tools?: JsonObject[] | undefined;
  toolChoice?: JsonObject | undefined;
  metadata?: JsonObject | undefined;
  _meta?: JsonObject | undefined;
}

export interface SampleResult {
  role: 'user' | 'assistant';
  content: TextContent | ImageContent | AudioContent | JsonObject | JsonObject[];
  model: string;
  stopReason?: string | undefined;
  _meta?: JsonObject | undefined;
}

export interface RootsResult {
  roots: Root[];
  _meta?: JsonObject | undefined;
}

/** What a handler may ask the client for. */
export type AskKind = 'elicitation' | 'sampling' | 'roots';

export type InputRequest =
  | { method: 'elicitation/create'; params: ElicitRequest }
  | { method: 'sampling/createMessage'; params: SampleRequest }
  | { method: 'roots/list'; params?: JsonObject };
export type InputRequests = Readonly<Record<string, InputRequest>>;
export type InputResponse = ElicitResult | SampleResult | RootsResult;
/** A map without a prototype. */
export type InputResponses = Readonly<Record<string, InputResponse | undefined>>;
