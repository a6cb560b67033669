import type { SchemaDraft } from '@cfworker/json-schema';
import type { Era, JsonObject, LogLevel } from '../types.js';
import { isJsonObject, own, type RpcMessage } from './json-rpc.js';

/** Revisions with `initialize` and sessions, oldest first. */
export const SESSION_VERSIONS = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;
/** The revision without sessions: POST only, metadata in each request. */
export const STATELESS_VERSION = '2026-07-28';
/** The revision that is offered to a client that requests an unknown revision. */
export const LATEST_SESSION_VERSION = '2025-11-25';
/** The revision of a request without a version header and without a session (revision 2025-06-18, transports). */
export const ASSUMED_VERSION = '2025-03-26';
/** The most subscriptions of one session or one listener. */
export const MAX_SUBSCRIPTIONS = 100;

export type SessionVersion = (typeof SESSION_VERSIONS)[number];

export function isSessionVersion(text: string): text is SessionVersion {
  return (SESSION_VERSIONS as readonly string[]).includes(text);
}

/** Members of `_meta` that the stateless revision reserves. */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The extension for calls that continue after their request (SEP-2663). */
export const TASKS = 'io.modelcontextprotocol/tasks';

/** JSON-RPC and MCP error codes that this server sends. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Session era only. */
  sessionNotFound: -32001,
  /** Session era only. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** Levels of RFC 5424, lowest first. */
const LOG_LEVELS: readonly LogLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

export function isLogLevel(value: unknown): value is LogLevel {
  return (LOG_LEVELS as readonly unknown[]).includes(value);
}

/** True if `level` is at or above a threshold. */
export function passesLevel(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}

/** `invalid` is 400 -32600, `missing` 400 -32602, `mismatch` 400 -32020. */
export type EraDecision = Era | 'invalid' | 'missing' | 'mismatch';

/** True if the version header alone names the stateless revision. */
export function hasStatelessHeader(versions: readonly string[]): boolean {
  return versions.some((value) => value.trim() === STATELESS_VERSION);
}

/** The revision in the metadata of a message, of any type; `undefined` if absent. */
export function claimOf(params: JsonObject | undefined): unknown {
  const meta = params === undefined ? undefined : own(params, '_meta');
  return isJsonObject(meta) ? own(meta, META.protocolVersion) : undefined;
}

/** The era of one message. The body determines it; the header is only compared with it. */
export function decideEra(message: RpcMessage, statelessHeader: boolean): EraDecision {
  switch (message.kind) {
    case 'invalid':
      return statelessHeader ? 'stateless' : 'session';
    case 'response':
      return statelessHeader ? 'invalid' : 'session';
    case 'notification':
      return claimOf(message.params) !== undefined || statelessHeader ? 'stateless' : 'session';
    case 'request':
      if (claimOf(message.params) !== undefined) return 'stateless';
      if (!statelessHeader) return 'session';
      return message.method === 'initialize' ? 'mismatch' : 'missing';
  }
}

/** True if a batch must be rejected: the stateless revision has no batches. */
export function isStatelessBatch(items: readonly unknown[], statelessHeader: boolean): boolean {
  return statelessHeader || items.some(hasClaim);
}

function hasClaim(item: unknown): boolean {
  const params = isJsonObject(item) ? own(item, 'params') : undefined;
  return isJsonObject(params) && claimOf(params) !== undefined;
}

/** Dialects of JSON Schema by their URL. */
const DRAFTS: Readonly<Record<string, SchemaDraft>> = {
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
  'https://json-schema.org/draft/2019-09/schema': '2019-09',
  'http://json-schema.org/draft-07/schema': '7',
  'http://json-schema.org/draft-04/schema': '4',
};

/** The draft of a schema; `undefined` for an unknown dialect. */
export function draftOf(schema: JsonObject): SchemaDraft | undefined {
  if (schema.$schema === undefined) return '2020-12';
  const uri = String(schema.$schema).replace(/#$/, '');
  return Object.hasOwn(DRAFTS, uri) ? DRAFTS[uri] : undefined;
}
