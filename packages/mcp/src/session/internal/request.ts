import {
  type Accepted,
  type Guarded,
  jsonReply,
  type McpRequest,
  type Reply,
  readProgressToken,
} from '../../http/internal/transport.js';
import type { MethodTable } from '../../methods/internal/method.js';
import { errorText, type RpcRequest } from '../../protocol/internal/json-rpc.js';
import { ASSUMED_VERSION, isSessionVersion, RPC, type SessionVersion } from '../../protocol/internal/protocol.js';
import type { LogLevel, RequestId } from '../../protocol/types.js';
import type { Call } from '../../run/internal/call.js';
import type { Question, RecordedAnswer, RunMemory } from '../../run/internal/record.js';
import { type HandlerRun, NO_ASKS, type RunScope } from '../../run/internal/run.js';
import type { ServerData } from '../../server/internal/server-data.js';
import { findSession, NO_SESSION, readLevel, type Session } from './session.js';

/** Code that a run of a stored session may need. It is loaded at the first use. */
export interface RunAids {
  hold(origin: SessionRequest, question: Question, run: HandlerRun, target: Guarded): Promise<RecordedAnswer>;
  isCancelled(server: ServerData, session: Session, id: RequestId): Promise<boolean>;
}

/** One HTTP request of a session, with the parts of the server. */
export interface SessionPlace {
  readonly server: ServerData;
  readonly methods: MethodTable;
  readonly http: McpRequest;
  readonly session: Session;
  readonly aids: () => Promise<RunAids>;
}

/** A JSON-RPC request of a session, with the possible kinds of answers. */
export interface SessionRequest extends SessionPlace {
  readonly protocolVersion: string;
  readonly request: Pick<RpcRequest, 'id' | 'method' | 'params'>;
  readonly accepted: Accepted;
  /** Set if a call runs again: no client reads its stream. */
  readonly again?: true;
}

/** An error answer of this era, with its HTTP status. */
export function sessionError(status: number, code: number, message: string, id: RequestId | null = null): Reply {
  return jsonReply(errorText(id, code, message), status);
}

/**
 * The session of a request, or an error answer for invalid headers. The negotiated revision applies to the whole session; the
 * version header of each request must be a known revision.
 */
export async function resolveSession(
  server: ServerData,
  http: McpRequest,
  id: RequestId | null,
): Promise<{ readonly session: Session; readonly sessionId: string } | Reply> {
  const version = requestedVersion(http);
  if (version === 'unknown') return sessionError(400, RPC.invalidRequest, 'Unsupported MCP-Protocol-Version', id);
  if (server.settings.sessions === 'none') {
    return { session: { ...NO_SESSION, version: version ?? ASSUMED_VERSION }, sessionId: '' };
  }
  const ids = http.header('mcp-session-id');
  const sessionId = ids.length === 1 ? (ids[0] ?? '').trim() : '';
  if (sessionId === '') return sessionError(400, RPC.invalidRequest, 'Mcp-Session-Id is required', id);
  const session = await findSession(server, http, sessionId);
  if (!session) return sessionError(404, RPC.sessionNotFound, 'Session not found', id);
  return { session, sessionId };
}

/** The revision in the version header; `undefined` without the header. */
export function requestedVersion(http: McpRequest): SessionVersion | 'unknown' | undefined {
  const values = http.header('mcp-protocol-version');
  if (values.length === 0) return undefined;
  const version = (values[0] ?? '').trim();
  return values.length === 1 && isSessionVersion(version) ? version : 'unknown';
}

/** True if the client of this request can resume a stream. */
export function canResume({ session, protocolVersion, accepted }: SessionRequest): boolean {
  return session.partition !== undefined && accepted.sse && protocolVersion >= '2025-11-25';
}

/**
 * Support for questions. Clients of revisions before 2025-11-25 do not resume: their stream is held open, or questions are not
 * possible.
 */
function askingOf(origin: SessionRequest): RunScope['asking'] {
  const { server, http, session, accepted } = origin;
  if (session.partition === undefined || !accepted.sse) return 'no';
  if (canResume(origin)) return server.settings.hold && http.canStream && !origin.again ? 'hold' : 'pause';
  return http.canStream ? 'hold' : 'no';
}

/** The lowest level of log events. If it is in the store, it is read once for each run, at the handler's first log event. */
function levelOf({ server, session }: SessionRequest): RunScope['logLevel'] {
  if (!server.settings.logging) return () => undefined;
  if (session.level !== undefined) return () => session.level;
  let level: Promise<LogLevel> | undefined;
  return () => {
    level ??= readLevel(server, session).catch((): LogLevel => 'info');
    return level;
  };
}

/** The settings of a run in a session. */
export function scopeOf(origin: SessionRequest, call?: Pick<Call, 'method' | 'target'>, memory?: RunMemory): RunScope {
  const { server, http, session, protocolVersion, request, aids } = origin;
  const asking = askingOf(origin);
  return {
    http,
    era: 'session',
    protocolVersion,
    client: session.client,
    memory,
    asking,
    clientCapabilities: session.capabilities,
    progressToken: readProgressToken(request.params?._meta),
    requestId: request.id,
    meta: request.params?._meta,
    sessionId: session.partition?.slice(2),
    logLevel: levelOf(origin),
    facts: { method: request.method, ...call?.target.facts },
    maxKeptBytes: server.maxKeptBytes,
    asks: call?.target.asks ?? NO_ASKS,
    canClose: asking === 'pause' && canResume(origin),
    keepsEvents: asking === 'pause',
    ...(session.partition === undefined
      ? {}
      : { isCancelled: async () => (await aids()).isCancelled(server, session, request.id) }),
    ...(asking === 'hold' && call
      ? { hold: async (question, run) => (await aids()).hold(origin, question, run, call.target) }
      : {}),
  };
}
