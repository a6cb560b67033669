import type { LogLevel } from './protocol.js';

/** Anything that `JSON.stringify` keeps as it is. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };
export type JsonObject = Record<string, unknown>;
export type RequestId = string | number;
export type { LogLevel };

export interface Icon {
  src: string;
  mimeType?: string;
  sizes?: string[];
  theme?: 'light' | 'dark';
}

/** Name and version of a client or a server. */
export interface Implementation {
  name: string;
  version: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
  icons?: Icon[];
}

export interface ClientCapabilities {
  experimental?: Record<string, JsonObject>;
  roots?: { listChanged?: boolean };
  sampling?: { context?: JsonObject; tools?: JsonObject };
  elicitation?: { form?: JsonObject; url?: JsonObject };
  extensions?: Record<string, JsonObject>;
}

export interface Annotations {
  audience?: ('user' | 'assistant')[];
  priority?: number;
  /** ISO 8601 with an offset. */
  lastModified?: string;
}

export interface TextContent {
  type: 'text';
  text: string;
  annotations?: Annotations;
  _meta?: JsonObject;
}

/** Base64 in `data`. */
export interface ImageContent {
  type: 'image';
  data: string;
  mimeType: string;
  annotations?: Annotations;
  _meta?: JsonObject;
}

/** Base64 in `data`. */
export interface AudioContent {
  type: 'audio';
  data: string;
  mimeType: string;
  annotations?: Annotations;
  _meta?: JsonObject;
}

export interface ResourceLink {
  type: 'resource_link';
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
  annotations?: Annotations;
  icons?: Icon[];
  _meta?: JsonObject;
}

export interface TextResourceContents {
  uri: string;
  mimeType?: string;
  text: string;
  _meta?: JsonObject;
}

/** Base64 in `blob`. */
export interface BlobResourceContents {
  uri: string;
  mimeType?: string;
  blob: string;
  _meta?: JsonObject;
}

export type ResourceContents = TextResourceContents | BlobResourceContents;

export interface EmbeddedResource {
  type: 'resource';
  resource: ResourceContents;
  annotations?: Annotations;
  _meta?: JsonObject;
}

export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

export interface CallToolResult {
  content: ContentBlock[];
  structuredContent?: JsonObject;
  isError?: boolean;
  _meta?: JsonObject;
}

export interface ReadResourceResult {
  contents: ResourceContents[];
  _meta?: JsonObject;
}

export interface PromptMessage {
  role: 'user' | 'assistant';
  content: ContentBlock;
}

export interface GetPromptResult {
  description?: string;
  messages: PromptMessage[];
  _meta?: JsonObject;
}

export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export interface Root {
  uri: string;
  name?: string;
  _meta?: JsonObject;
}

export type ElicitAction = 'accept' | 'decline' | 'cancel';

/** A JSON Schema of flat properties, or a web page to visit. */
export interface ElicitRequest<T = JsonObject> {
  message: string;
  requestedSchema?: { type: 'object'; properties: Record<string, JsonObject>; required?: string[] };
  mode?: 'form' | 'url';
  url?: string;
  elicitationId?: string;
  _meta?: JsonObject;
  /** Names the type of the content; never sent. */
  readonly contentType?: T;
}

export interface ElicitResult<T = JsonObject> {
  action: ElicitAction;
  content?: T;
  _meta?: JsonObject;
}

export interface SamplingMessage {
  role: 'user' | 'assistant';
  content: TextContent | ImageContent | AudioContent | JsonObject | JsonObject[];
}

export interface SampleRequest {
  messages: SamplingMessage[];
  maxTokens: number;
  systemPrompt?: string;
  temperature?: number;
  stopSequences?: string[];
  modelPreferences?: JsonObject;
  includeContext?: 'none' | 'thisServer' | 'allServers';
  tools?: JsonObject[];
  toolChoice?: JsonObject;
  metadata?: JsonObject;
  _meta?: JsonObject;
}

export interface SampleResult {
  role: 'user' | 'assistant';
  content: TextContent | ImageContent | AudioContent | JsonObject | JsonObject[];
  model: string;
  stopReason?: string;
  _meta?: JsonObject;
}

export interface RootsResult {
  roots: Root[];
  _meta?: JsonObject;
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
