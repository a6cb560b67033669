/** Revisions with `initialize` and sessions, oldest first. */
export const SESSION_VERSIONS = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;
/** The revision without sessions: POST only, metadata in each request. */
export const STATELESS_VERSION = '2026-07-28';
/** Offered to a client that asks for a revision that we do not know. */
export const LATEST_SESSION_VERSION = '2025-11-25';
/** What a request without a version header speaks, when no session says otherwise (revision 2025-06-18, transports). */
export const ASSUMED_VERSION = '2025-03-26';

export type SessionVersion = (typeof SESSION_VERSIONS)[number];
export type Era = 'session' | 'stateless';

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
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return (LOG_LEVELS as readonly unknown[]).includes(value);
}

/** Whether a message of `level` passes a threshold. */
export function passesLevel(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}
