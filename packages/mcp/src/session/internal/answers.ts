import { type McpRequest, nowMs } from '../../http/internal/exchange.js';
import type { RpcResponse } from '../../protocol/internal/json-rpc.js';
import { RPC } from '../../protocol/internal/protocol.js';
import type { AskKind } from '../../protocol/types.js';
import type { Question } from '../../run/internal/ask.js';
import type { Call } from '../../run/internal/call.js';
import { startRun } from '../../run/internal/handler-context.js';
import {
  freshMemory,
  MAX_PARKED_MS,
  packMemory,
  type RecordedAnswer,
  unpackMemory,
} from '../../run/internal/record.js';
import type { Run } from '../../run/internal/run.js';
import { RpcError } from '../../server/errors.js';
import { loadSchemaCheck, storeOf } from '../../server/internal/core.js';
import { CallStream, leaseOf, questionText } from './call-stream.js';
import { isCancelled } from './parked.js';
import { type SessionPlace, type SessionRequest, scopeOf } from './request.js';
import { newStreamId, parseEventId, type StreamHead, StreamLog } from './stream-log.js';

const LOOK_EVERY_MS = 200;

/**
 * Asks on an open stream and waits for the answer, which another instance may receive: each question has a head of its
 * own in the store, under which the answer is looked for.
 */
export async function hold(origin: SessionRequest, question: Question, run: Run): Promise<RecordedAnswer> {
  const { core, http, session, protocolVersion, request } = origin;
  const now = () => nowMs(http.clock);
  const log = new StreamLog(core, session.partition ?? '', newStreamId(), now);
  const { key, digest } = question;
  const saved = log.save({
    ...{ state: 'waiting', protocolVersion, request, next: 1, lease: 0, since: now(), hold: true },
    memory: packMemory(freshMemory()),
    pending: [{ key, digest }],
  });
  await run.track(saved);
  run.send(questionText(log.id, question));
  let answer: RecordedAnswer | undefined;
  while (answer === undefined && !run.isOver) {
    await new Promise<void>((resolve) => http.clock.after(LOOK_EVERY_MS, resolve));
    if (run.isOver) break;
    const found = await run.track(StreamLog.read(core, session.partition ?? '', log.id, now));
    if (!found) break;
    answer = new Map(found.head.memory.a).get(key);
  }
  if (!run.isOver) await run.track(storeOf(core).take({ partition: log.partition, sort: '!' }));
  return answer ?? { digest };
}

const MAX_ATTEMPTS = 20;

/** Takes a client's answer to a question. Returns after the run that it continues, if it completes the set. */
export async function takeAnswer(place: SessionPlace, response: RpcResponse): Promise<void> {
  const { core, http, session } = place;
  const asked = typeof response.id === 'string' ? parseQuestionId(response.id) : undefined;
  if (!asked || session.partition === undefined) return;
  const now = () => nowMs(http.clock);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const found = await StreamLog.read(core, session.partition, asked.stream, now);
    const next = found && (await withAnswer(found.head, asked.key, response, http));
    if (!found || !next) return;
    if (!(await found.log.save(next))) continue;
    if (next.state === 'running') {
      const { run, stream } = await startContinuation(place, found.log, next);
      await stream.end(await run.outcome, await run.takeEvents());
    }
    return;
  }
  throw new Error('framework: mcp: the head of a stream changes too often');
}

/** Stream and key of a question's id. */
function parseQuestionId(id: string): { readonly stream: string; readonly key: string } | undefined {
  const event = parseEventId(`${id.slice(0, 12)}.0`);
  return event && id[12] === '.' ? { stream: event.stream, key: id.slice(13) } : undefined;
}

/** The head with an answer; `running` when it was the last one. Nothing when it is not waited for. */
async function withAnswer(
  head: StreamHead,
  key: string,
  response: RpcResponse,
  http: McpRequest,
): Promise<StreamHead | undefined> {
  const now = nowMs(http.clock);
  const question = head.pending.find((pending) => pending.key === key);
  if (head.state !== 'waiting' || !question || now - head.since > MAX_PARKED_MS) return undefined;
  const { digest } = question;
  const answer: RecordedAnswer = response.failed ? { digest } : { digest, value: response.result };
  const { asked } = question;
  const fits = asked !== undefined && (await loadSchemaCheck()).checkAnswer(asked, response.result) !== undefined;
  const pending = head.pending.filter((other) => other !== question);
  const memory = {
    ...head.memory,
    a: [...head.memory.a, [key, answer] as const],
    i: [...(head.memory.i ?? []), ...(fits ? [[key, response.result] as const] : [])],
  };
  const answered: StreamHead = { ...head, pending, memory };
  return pending.length > 0 || head.hold ? answered : { ...answered, state: 'running', lease: leaseOf(http) };
}

/** A claimed call, ready to be run again. */
export interface Continuation {
  readonly run: Run;
  readonly stream: CallStream;
}

/** Calls the handler of a claimed stream again, with what was recorded. */
export async function startContinuation(place: SessionPlace, log: StreamLog, head: StreamHead): Promise<Continuation> {
  const { request, protocolVersion } = head;
  const accepted = { json: false, sse: true };
  const aids = async () => ({ hold, isCancelled });
  const origin: SessionRequest = { ...place, aids, protocolVersion, request, accepted, again: true };
  const call = await resolveAgain(origin);
  const run = startRun(scopeOf(origin, call, unpackMemory(head.memory)), (ctx) => call.invoke(ctx));
  return { run, stream: new CallStream(origin, call, run, log, true) };
}

/** The call may be gone since: another deployment answers. */
async function resolveAgain({ core, methods, http, session, request, accepted }: SessionRequest): Promise<Call> {
  const hookContext = () => {
    throw new Error('framework: mcp: a call has no hooks');
  };
  const { id, params = {} } = request;
  try {
    const answer = await methods
      .get(request.method)
      ?.answer({ core, methods, http, session, id, params, accepted, hookContext, era: 'session' });
    if (answer && 'call' in answer) return answer.call;
    throw new RpcError(RPC.methodNotFound, 'Method not found');
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
    } as const;
    const fail = () => {
      throw error;
    };
    return { target, name: '', args: undefined, invoke: fail, complete: fail };
  }
}
