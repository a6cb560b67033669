import { guardHook, sha256Url } from '@sallyport/core/internal';
import {
  COMMENT_FRAME,
  checkScopes,
  type McpRequest,
  messageFrame,
  notAllowed,
  nowMs,
  parseAccept,
  primingFrame,
  type Reply,
  retryFrame,
  SSE_HEADERS,
} from '../../http/internal/transport.js';
import type { MethodTable } from '../../methods/internal/method.js';
import { errorText } from '../../protocol/internal/json-rpc.js';
import { RPC } from '../../protocol/internal/protocol.js';
import { deliver } from '../../run/internal/answer.js';
import type { Sink } from '../../run/internal/call.js';
import { MAX_PAUSED_MS } from '../../run/internal/record.js';
import { changeNotification, listenReply } from '../../run/internal/streams.js';
import type { ServerData } from '../../server/internal/server-data.js';
import { findContinued, hold, startContinuation } from './answers.js';
import { leaseOf, retryAfter } from './call-stream.js';
import { closeOpenStream, isCancelled } from './paused.js';
import { resolveSession, type SessionPlace, sessionError } from './request.js';
import { deleteSession, isSubscribed, type Session } from './session.js';
import { isResponse, parseEventId, type StreamHead, StreamLog, StreamLost } from './stream-log.js';

/** Milliseconds that a client waits between two listeners. */
const IDLE_RETRY_MS = 30_000;
const FEED_MS = 300_000;

/** DELETE: ends a durable session. */
export async function serveDelete(server: ServerData, http: McpRequest): Promise<Reply> {
  const resolved = await resolveSession(server, http, null);
  if ('status' in resolved) return resolved;
  if (server.settings.sessions === 'sealed') return notAllowed('POST');
  await deleteSession(server, resolved.sessionId);
  return { status: 200, headers: {}, body: '' };
}

/** GET: the rest of a stream, or a listener for changes. */
export async function serveGet(server: ServerData, methods: MethodTable, http: McpRequest): Promise<Reply> {
  if (!parseAccept(http.header('accept'))?.sse) return sessionError(406, RPC.invalidRequest, 'Not acceptable');
  const lastEventId = (http.header('last-event-id')[0] ?? '').trim();
  // Some clients open a listener before their session exists. They report 400 as an error, and continue after 405.
  if (lastEventId === '' && http.header('mcp-session-id').length === 0) return notAllowed(allowOf(server));
  const resolved = await resolveSession(server, http, null);
  if ('status' in resolved) return resolved;
  const { session } = resolved;
  if (lastEventId === '') return listen(server, http, session) ?? notAllowed(allowOf(server));
  const place = parseEventId(lastEventId);
  if (!place) return sessionError(400, RPC.invalidRequest, 'Malformed Last-Event-ID');
  if (session.partition === undefined) return notAllowed(allowOf(server));
  if (place.stream === listenerId(session.partition)) {
    return listen(server, http, session, place.sequence) ?? notAllowed(allowOf(server));
  }
  const aids = async () => ({ hold, isCancelled });
  const rest = await resumeStream({ server, methods, http, session, aids }, place.stream, place.sequence);
  return rest ?? notAllowed(allowOf(server));
}

/** Methods that every client of the session era supports. */
function allowOf({ settings }: ServerData): string {
  return settings.sessions === 'durable' ? 'POST, DELETE' : 'POST';
}

/** A listener, if the door streams and the server has changes. */
function listen(server: ServerData, http: McpRequest, session: Session, since?: number): Reply | undefined {
  const { partition } = session;
  if (!server.settings.changes || !http.canStream || partition === undefined) return undefined;
  const now = nowMs(http.clock);
  return listenReply(server, http, {
    from: since === undefined || since > now ? now : Math.max(since, now - FEED_MS),
    head: COMMENT_FRAME,
    frame: async (change) => {
      // The session era has no tasks.
      if ('task' in change) return '';
      const wanted = 'list' in change || (await isSubscribed(server, http, session, change.resource));
      return wanted ? messageFrame(changeNotification(change)) : '';
    },
    tail: (position) => {
      if (session.version < '2025-11-25') return retryFrame(IDLE_RETRY_MS);
      return primingFrame(`${listenerId(partition)}.${position}`, IDLE_RETRY_MS);
    },
  });
}

/** The stream name of a session's listeners, so that a new listener continues where the previous listener ended. */
function listenerId(partition: string): string {
  return sha256Url(`listen ${partition}`).slice(0, 12);
}

const FIRST_LOOK_MS = 100;
const MAX_ATTEMPTS = 20;

interface Found {
  readonly log: StreamLog;
  readonly head: StreamHead;
}

/**
 * The rest of a stream after an event, of any instance; `undefined` if there are no further events.
 *
 * @throws FrameworkError `app.forbidden` if the caller does not have the permissions of the call
 */
async function resumeStream(origin: SessionPlace, stream: string, sequence: number): Promise<Reply | undefined> {
  const { server, http, session } = origin;
  const { partition = '' } = session;
  const now = () => nowMs(http.clock);
  const until = now() + server.settings.resumeWaitMs;
  let wait = FIRST_LOOK_MS;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; ) {
    const found = await StreamLog.read(server, partition, stream, http);
    if (!found || found.head.hold) return undefined;
    const { head, log } = found;
    checkScopes(http, head);
    if (head.state === 'open') {
      const claimed = await claim(origin, found, sequence);
      if (claimed) return claimed;
      attempt += 1;
    } else if (isLost(head, now())) {
      await interrupt(origin, found);
      attempt += 1;
    } else {
      const messages = await log.readFrom(sequence + 1);
      const isOver = head.state === 'ended' || head.state === 'cancelled';
      if (isOver && messages.length === 0) return undefined;
      if (isOver || messages.length > 0 || head.state === 'waiting' || now() >= until) {
        return replay(server, found, sequence, messages, isOver, now());
      }
      await new Promise<void>((resolve) => http.clock.after(Math.min(wait, until - now()), resolve));
      wait *= 2;
    }
  }
  return undefined;
}

function replay(
  server: ServerData,
  { log, head }: Found,
  sequence: number,
  messages: readonly string[],
  isOver: boolean,
  now: number,
): Reply {
  const frames = log.frames(messages, sequence + 1);
  const rest = isOver ? '' : log.priming(sequence + messages.length, retryAfter(server, now - head.since));
  return { status: 200, headers: SSE_HEADERS, body: frames + rest };
}

/** True if the lease of a run has ended without an end mark, or a call has no answer. The handler is not called again. */
function isLost(head: StreamHead, now: number): boolean {
  if (head.state === 'running') return now > head.lease;
  return head.state === 'waiting' && now - head.since > MAX_PAUSED_MS;
}

/** Ends a stream whose run was lost. If the run has stored its response, the stream ends with this response. */
async function interrupt({ server, http, session }: SessionPlace, { log, head }: Found): Promise<void> {
  const messages = await log.readFrom(1);
  let next = messages.length + 1;
  if (!isResponse(messages.at(-1))) {
    const text = errorText(head.request.id, RPC.internalError, 'Interrupted');
    try {
      await log.append([text], () => {}, next);
      next += 1;
    } catch (error) {
      // Another request has just stored the same end.
      if (!(error instanceof StreamLost)) throw error;
    }
    guardHook(() => http.log.warn('mcp.call_interrupted', { ...head.facts, state: head.state }));
  }
  await log.save({ ...head, state: 'ended', pending: [], next });
  await closeOpenStream(server, session, log.id);
}

/** Takes over a call whose handler has closed its stream, and sends the rest; `undefined` if another request was faster. */
async function claim(origin: SessionPlace, found: Found, sequence: number): Promise<Reply | undefined> {
  const { http } = origin;
  const { log } = found;
  const continued = await findContinued(origin, found.head);
  checkScopes(http, continued.call.target);
  // No other writer changes the row before the claim, and no failure is allowed between the claim and the run.
  const missed = await log.readFrom(sequence + 1);
  log.isAwaited = false;
  const head: StreamHead = { ...found.head, state: 'running', lease: leaseOf(http), since: nowMs(http.clock) };
  if (!(await log.save(head))) return undefined;
  const { run, stream } = startContinuation(continued, log, head, 'claimed');
  const opening = missed.length > 0 ? log.frames(missed, sequence + 1) : log.priming(sequence);
  const sink: Sink = {
    resumable: true,
    open: async () => opening,
    write: (messages, isRunning) => stream.write(messages, isRunning),
    whole: async (messages) => opening + (await stream.write(messages, false)),
    end: (outcome, unsent) => stream.end(outcome, unsent),
  };
  return deliver({ http, accepted: { json: false, sse: true }, run, sink, atOnce: true });
}

// Code for sessions with a store only. It is loaded as one part.
export { hold, takeAnswer } from './answers.js';
export { newCallStream } from './call-stream.js';
export { cancelRequest, isCancelled } from './paused.js';
