import { type Exchange, nowMs } from '../../http/internal/exchange.js';
import type { RpcResponse } from '../../protocol/internal/json-rpc.js';
import type { AskKind } from '../../protocol/types.js';
import { type Call, resolveCall } from '../../run/internal/call.js';
import { checkAnswer } from '../../run/internal/check-answer.js';
import { Run } from '../../run/internal/run.js';
import { MAX_PARKED_MS, type RecordedAnswer, type RunMemory, unpackMemory } from '../../run/internal/run-memory.js';
import { RpcError } from '../../server/errors.js';
import type { Core } from '../../server/internal/core.js';
import { CallStream, leaseOf } from './call-stream.js';
import { type SessionRequest, scopeOf } from './session-call.js';
import type { Session } from './session-shape.js';
import { parseEventId, type StreamHead, StreamLog } from './stream-log.js';

const MAX_ATTEMPTS = 20;

/** Takes a client's answer to a question. Returns after the run that it continues, if it completes the set. */
export async function takeAnswer(
  core: Core,
  exchange: Exchange,
  session: Session,
  response: RpcResponse,
): Promise<void> {
  const place = typeof response.id === 'string' ? parseQuestionId(response.id) : undefined;
  if (!place || session.partition === undefined) return;
  const now = () => nowMs(exchange.clock);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const found = await StreamLog.read(core, session.partition, place.stream, now);
    const next = found && (await withAnswer(found.head, place.key, response, exchange));
    if (!found || !next) return;
    if (!(await found.log.save(next))) continue;
    if (next.state === 'running') await continueRun(core, exchange, session, found.log, next);
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
  exchange: Exchange,
): Promise<StreamHead | undefined> {
  const now = nowMs(exchange.clock);
  const question = head.pending.find((pending) => pending.key === key);
  if (head.state !== 'waiting' || !question || now - head.since > MAX_PARKED_MS) return undefined;
  const { digest } = question;
  const answer: RecordedAnswer = response.failed ? { digest } : { digest, value: response.result };
  const fits = question.asked !== undefined && (await checkAnswer(question.asked, response.result)) !== undefined;
  const pending = head.pending.filter((other) => other !== question);
  const memory = {
    ...head.memory,
    a: [...head.memory.a, [key, answer] as const],
    i: [...(head.memory.i ?? []), ...(fits ? [[key, response.result] as const] : [])],
  };
  const answered: StreamHead = { ...head, pending, memory };
  return pending.length > 0 || head.hold ? answered : { ...answered, state: 'running', lease: leaseOf(exchange) };
}

/** A claimed call, ready to be run again. */
export interface Continuation {
  readonly run: Run;
  readonly stream: CallStream;
}

/** Calls the handler of a claimed stream again, with what was recorded. */
export function startContinuation(
  core: Core,
  exchange: Exchange,
  session: Session,
  log: StreamLog,
  head: StreamHead,
): Continuation {
  const { request, protocolVersion } = head;
  const accepted = { json: false, sse: true };
  const origin: SessionRequest = { core, exchange, session, protocolVersion, request, accepted, again: true };
  const memory: RunMemory = unpackMemory(head.memory);
  const call = resolveAgain(core, head);
  const run = new Run(scopeOf(origin, call, memory)).start((ctx) => call.invoke(ctx));
  return { run, stream: new CallStream(origin, call, run, log, true) };
}

/** The call may be gone since: another deployment answers. */
function resolveAgain(core: Core, { request }: StreamHead): Call {
  try {
    return resolveCall(core.registry, 'session', request.method, request.params ?? {});
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const target = {
      kind: 'prompt',
      name: '',
      scopes: [],
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

async function continueRun(
  core: Core,
  exchange: Exchange,
  session: Session,
  log: StreamLog,
  head: StreamHead,
): Promise<void> {
  const { run, stream } = startContinuation(core, exchange, session, log, head);
  const outcome = await run.outcome;
  await stream.end(outcome, await run.takeEvents());
}
