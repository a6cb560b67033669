import type { Accepted } from '../../http/internal/accept.js';
import { readProgressToken } from '../../http/internal/answering.js';
import type { Exchange, Reply } from '../../http/internal/exchange.js';
import { loadDurable, loadSessions } from '../../http/internal/lazy.js';
import { errorText, INTERNAL_ERROR, type RpcRequest, resultText } from '../../protocol/internal/json-rpc.js';
import { type LogLevel, RPC } from '../../protocol/internal/protocol.js';
import { missingKinds } from '../../run/internal/ask.js';
import type { Call } from '../../run/internal/call.js';
import { deliver, type Ending, plainSink, type Sink } from '../../run/internal/deliver.js';
import { toResult } from '../../run/internal/endings.js';
import { Run } from '../../run/internal/run.js';
import { freshMemory, type RunMemory } from '../../run/internal/run-memory.js';
import type { Outcome, RunScope } from '../../run/internal/run-scope.js';
import { RpcError } from '../../server/errors.js';
import type { Core } from '../../server/internal/core.js';
import type { Session } from './session-shape.js';

/** A request of a session, and how it may be answered. */
export interface SessionRequest {
  readonly core: Core;
  readonly exchange: Exchange;
  readonly session: Session;
  readonly protocolVersion: string;
  readonly request: Pick<RpcRequest, 'id' | 'method' | 'params'>;
  readonly accepted: Accepted;
  /** A call that is run again: nobody reads its stream meanwhile. */
  readonly again?: true;
}

/** Whether a client of this request can come back for the rest of a stream. */
function canResume({ session, protocolVersion, accepted }: SessionRequest): boolean {
  return session.partition !== undefined && accepted.sse && protocolVersion >= '2025-11-25';
}

/** How the client is asked. Revisions before 2025-11-25 do not come back: their stream is held open, or not asked on. */
function askingOf(origin: SessionRequest): RunScope['asking'] {
  const { core, exchange, session, accepted } = origin;
  if (session.partition === undefined || !accepted.sse) return 'no';
  if (canResume(origin)) return core.settings.hold && exchange.canStream && !origin.again ? 'hold' : 'park';
  return exchange.canStream ? 'hold' : 'no';
}

/** What a run of a session's call may do. */
export function scopeOf(origin: SessionRequest, call: Pick<Call, 'target'> | undefined, memory: RunMemory): RunScope {
  const { core, exchange, session, protocolVersion, request } = origin;
  const asking = askingOf(origin);
  return {
    ...{ exchange, era: 'session', protocolVersion, client: session.client, memory, asking },
    clientCapabilities: session.capabilities,
    progressToken: readProgressToken(request.params?._meta),
    logLevel: () => (core.settings.logging ? levelOf(core, session) : undefined),
    asks: call?.target.asks ?? new Set(),
    canClose: asking === 'park' && canResume(origin),
    ...(session.partition === undefined
      ? {}
      : { isCancelled: async () => (await loadDurable()).isCancelled(core, session, request.id) }),
    ...(asking === 'hold' ? { hold: async (question, run) => (await loadDurable()).hold(origin, question, run) } : {}),
  };
}

async function levelOf(core: Core, session: Session): Promise<LogLevel> {
  return session.level ?? (await loadSessions()).readLevel(core, session);
}

/** Answers a call of a session. */
export async function runSessionCall(origin: SessionRequest, call: Call): Promise<Reply> {
  const { core, exchange, session, accepted } = origin;
  const required = missingKinds(session.capabilities, call.target.requires);
  const invoke: Call['invoke'] = (ctx) => call.invoke(ctx);
  const run = new Run(scopeOf(origin, call, freshMemory()));
  if (required) run.lack(required);
  else run.start(invoke);
  const sink: Sink = canResume(origin)
    ? (await loadDurable()).newCallStream(origin, call, run)
    : plainSink((outcome) => endPlainly(origin, call, outcome));
  return deliver({ core, exchange, accepted, run, sink });
}

async function endPlainly(origin: SessionRequest, call: Call, outcome: Outcome): Promise<Ending> {
  const { accepted, request, exchange } = origin;
  if (outcome.kind === 'cancelled') {
    return {
      messages: accepted.sse ? [] : [errorText(request.id, RPC.internalError, 'Cancelled')],
      status: 200,
      form: 'any',
    };
  }
  if (outcome.kind === 'questions' || outcome.kind === 'closed') return internalEnding(origin);
  return toEnding(origin, await toResult(call, 'session', outcome, exchange));
}

export function toEnding({ request }: SessionRequest, result: Awaited<ReturnType<typeof toResult>>): Ending {
  if (!(result instanceof RpcError)) {
    return { messages: [resultText(request.id, JSON.stringify(result))], status: 200, form: 'any' };
  }
  return { messages: [errorText(request.id, result.code, result.message, result.data)], status: 200, form: 'json' };
}

export function internalEnding(origin: SessionRequest): Ending {
  return toEnding(origin, new RpcError(RPC.internalError, INTERNAL_ERROR));
}
