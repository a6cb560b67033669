import { isPassing } from '@sallyport/core/internal';
import { checkScopes, type Guarded, type McpRequest, nowMs } from '../../http/internal/transport.js';
import { findCallAgain } from '../../methods/internal/method.js';
import type { RpcResponse } from '../../protocol/internal/json-rpc.js';
import type { AskKind } from '../../protocol/types.js';
import type { Call } from '../../run/internal/call.js';
import { startRun } from '../../run/internal/handler-context.js';
import {
  isQuestionKey,
  MAX_PAUSED_MS,
  NOTHING_RECORDED,
  type Question,
  type RecordedAnswer,
  unpackMemory,
} from '../../run/internal/record.js';
import { HandlerRun } from '../../run/internal/run.js';
import { RpcError } from '../../server/errors.js';
import { loadSchemaCheck } from '../../server/internal/server-data.js';
import { TooLargeToStore } from '../../store/internal/row-text.js';
import { CallStream, leaseOf, questionText, reportTooLarge } from './call-stream.js';
import { isCancelled } from './paused.js';
import { type SessionPlace, type SessionRequest, scopeOf } from './request.js';
import { newStreamId, parseEventId, type StreamHead, StreamLog } from './stream-log.js';

/** Milliseconds before the first check for an answer. A program answers immediately, a user after many seconds. */
const FIRST_LOOK_MS = 50;
const LAST_LOOK_MS = 2000;

/**
 * Sends a question on an open stream and waits for the answer, which another instance may receive. Each question has its own head row in
 * the store; the answer is read from this row.
 */
export async function hold(
  origin: SessionRequest,
  question: Question,
  run: HandlerRun,
  target: Guarded,
): Promise<RecordedAnswer> {
  const { server, http, session, protocolVersion, request } = origin;
  const now = () => nowMs(http.clock);
  const log = new StreamLog(server, session.partition ?? '', newStreamId(), http);
  log.isAwaited = false;
  const { key, digest } = question;
  const { id, method } = request;
  const { scopes, anyScope } = target;
  const saved = log.save({
    ...{ state: 'waiting', protocolVersion, scopes, anyScope, next: 1, lease: 0, since: now(), hold: true },
    request: { id, method, params: undefined },
    memory: NOTHING_RECORDED,
    pending: [{ key, digest }],
  });
  await run.track(saved);
  run.sendNow(questionText(log.id, question));
  let answer: RecordedAnswer | undefined;
  for (let wait = FIRST_LOOK_MS; answer === undefined && !run.isOver; wait = Math.min(wait * 1.5, LAST_LOOK_MS)) {
    await new Promise<void>((resolve) => http.clock.after(wait, resolve));
    if (run.isOver) break;
    const found = await run.track(StreamLog.read(server, session.partition ?? '', log.id, http)).catch(ifPassing);
    if (found === 'away') continue;
    if (!found) break;
    answer = new Map(found.head.memory.a).get(key);
  }
  if (!run.isOver) await run.track(log.remove()).catch(() => {});
  return answer ?? { digest };
}

/** A transient failure of the store does not end a call that waits for an answer. */
function ifPassing(error: unknown): 'away' {
  if (isPassing(error)) return 'away';
  throw error;
}

const MAX_ATTEMPTS = 20;

/**
 * Stores a client's answer to a question. The last missing answer continues the call, and the returned promise resolves after that run.
 * Returns `too large` if the answer is too large for the store.
 *
 * @throws FrameworkError `app.forbidden` if the caller does not have the permissions of the call that the answer would continue
 */
export async function takeAnswer(place: SessionPlace, response: RpcResponse): Promise<'taken' | 'too large'> {
  const { server, http, session } = place;
  const asked = typeof response.id === 'string' ? parseQuestionId(response.id) : undefined;
  if (!asked || session.partition === undefined) return 'taken';
  const bytes = Buffer.byteLength(JSON.stringify(response.result) ?? '');
  let large = bytes > server.maxKeptBytes;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const found = await StreamLog.read(server, session.partition, asked.stream, http);
    if (found?.head.state === 'running' && found.head.notes) {
      const noted = await noteAnswer(found, asked.key, response, http, large);
      if (noted) return large ? 'too large' : 'taken';
      continue;
    }
    const next = found && (await withAnswer(found.head, asked.key, response, http, large));
    if (!found || !next) return 'taken';
    checkScopes(http, found.head);
    const continued = next.state === 'running' ? await findContinued(place, next) : undefined;
    if (continued) checkScopes(http, continued.call.target);
    found.log.isAwaited = false;
    try {
      if (!(await found.log.save(next))) continue;
    } catch (error) {
      // The recorded data leaves no space for the answer.
      if (!(error instanceof TooLargeToStore) || large) throw error;
      large = true;
      continue;
    }
    if (large) reportTooLarge(http, found.head.facts ?? { method: found.head.request.method }, 'answer', bytes);
    if (continued) {
      const { run, stream } = startContinuation(continued, found.log, next, 'answered');
      await stream.end(await run.outcome, await run.takeEvents());
    }
    return large ? 'too large' : 'taken';
  }
  throw new Error('framework: mcp: the head of a stream changes too often');
}

/** Milliseconds until the head of a call that is being parked is read again. */
const PARKING_MS = 100;

/** Stores an answer for the run that holds its question; `false` if the call is being parked, so that its head receives the answer. */
async function noteAnswer(
  { head, log }: { readonly head: StreamHead; readonly log: StreamLog },
  key: string,
  { result, failed }: RpcResponse,
  http: McpRequest,
  large: boolean,
): Promise<boolean> {
  checkScopes(http, head);
  if (!isQuestionKey(key)) return true;
  log.isAwaited = false;
  if (await log.putNote(key, large ? { large } : failed ? {} : { value: result })) return true;
  // A second answer is ignored.
  if (!(await log.readNote(key))?.parked) return true;
  await new Promise<void>((resolve) => http.clock.after(PARKING_MS, resolve));
  return false;
}

/** The stream and the key in the id of a question. */
function parseQuestionId(id: string): { readonly stream: string; readonly key: string } | undefined {
  const event = parseEventId(`${id.slice(0, 12)}.0`);
  return event && id[12] === '.' ? { stream: event.stream, key: id.slice(13) } : undefined;
}

/** The head row with the answer; `running` after the last missing answer. `undefined` if no call waits for this answer. */
async function withAnswer(
  head: StreamHead,
  key: string,
  response: RpcResponse,
  http: McpRequest,
  large: boolean,
): Promise<StreamHead | undefined> {
  const now = nowMs(http.clock);
  const question = head.pending.find((pending) => pending.key === key);
  if (head.state !== 'waiting' || !question || now - head.since > MAX_PAUSED_MS) return undefined;
  const { digest } = question;
  const answer = toRecorded(digest, response, large);
  const { asked } = question;
  const fits =
    !large && asked !== undefined && (await loadSchemaCheck()).checkAnswer(asked, response.result) !== undefined;
  const pending = head.pending.filter((other) => other !== question);
  const memory = {
    ...head.memory,
    a: [...head.memory.a, [key, answer] as const],
    i: [...(head.memory.i ?? []), ...(fits ? [[key, response.result] as const] : [])],
  };
  const answered: StreamHead = { ...head, pending, memory };
  return pending.length > 0 || head.hold
    ? answered
    : { ...answered, state: 'running', lease: leaseOf(http), since: now };
}

function toRecorded(digest: string, { failed, result }: RpcResponse, large: boolean): RecordedAnswer {
  if (large) return { digest, large };
  return failed ? { digest } : { digest, value: result };
}

/** The registered call of a stored stream. */
export interface Continued {
  readonly origin: SessionRequest;
  readonly call: Call;
}

/** Finds the call of a stream before the stream is claimed: continuing a call requires the permissions of the call. */
export async function findContinued(place: SessionPlace, { request, protocolVersion }: StreamHead): Promise<Continued> {
  const accepted = { json: false, sse: true };
  const aids = async () => ({ hold, isCancelled });
  const origin: SessionRequest = { ...place, aids, protocolVersion, request, accepted, again: true };
  return { origin, call: await resolveAgain(origin) };
}

/** Calls the handler of a claimed stream again, with the recorded data. */
export function startContinuation(
  { origin, call }: Continued,
  log: StreamLog,
  head: StreamHead,
  beginning: 'claimed' | 'answered',
): { readonly run: HandlerRun; readonly stream: CallStream } {
  const run = startRun(new HandlerRun(scopeOf(origin, call, unpackMemory(head.memory))), call);
  return { run, stream: new CallStream(origin, call, run, log, beginning) };
}

/** Finds the registered call. If it is missing, the call fails when it is invoked, so that its stream ends with the error. */
async function resolveAgain({ server, methods, http, session, request, accepted }: SessionRequest): Promise<Call> {
  const { id, method, params = {} } = request;
  try {
    return await findCallAgain(method, { server, methods, http, session, id, params, accepted, era: 'session' });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const target = {
      kind: 'prompt',
      name: '',
      scopes: [],
      anyScope: [],
      asks: new Set<AskKind>(),
      requires: [],
      listed: '',
      facts: { kind: 'prompt', target: '' },
    } as const;
    const fail = () => {
      throw error;
    };
    return { method, target, name: '', args: undefined, invoke: fail, complete: fail };
  }
}
