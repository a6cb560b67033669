import { type Exchange, nowMs, type Reply } from '../../http/internal/exchange.js';
import { SSE_HEADERS } from '../../http/internal/sse.js';
import { errorText } from '../../protocol/internal/json-rpc.js';
import { RPC } from '../../protocol/internal/protocol.js';
import { deliver, type Sink } from '../../run/internal/deliver.js';
import { MAX_PARKED_MS } from '../../run/internal/run-memory.js';
import type { Core } from '../../server/internal/core.js';
import { startContinuation } from './answers.js';
import { leaseOf, retryAfter } from './call-stream.js';
import { closeOpenStream } from './open-streams.js';
import type { Session } from './session-shape.js';
import { type StreamHead, StreamLog, StreamLost } from './stream-log.js';

const LOOK_EVERY_MS = 100;
const MAX_ATTEMPTS = 20;

interface Found {
  readonly log: StreamLog;
  readonly head: StreamHead;
}

/** The rest of a stream after an event, wherever it was made; `undefined` when there is nothing to come. */
export async function resumeStream(
  core: Core,
  exchange: Exchange,
  session: Session,
  stream: string,
  sequence: number,
): Promise<Reply | undefined> {
  const { partition = '' } = session;
  const now = () => nowMs(exchange.clock);
  const until = now() + core.settings.resumeWaitMs;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; ) {
    const found = await StreamLog.read(core, partition, stream, now);
    if (!found || found.head.hold) return undefined;
    const { head, log } = found;
    if (head.state === 'open') {
      const claimed = await claim(core, exchange, session, found, sequence);
      if (claimed) return claimed;
      attempt += 1;
    } else if (isLost(head, now())) {
      await interrupt(core, session, found);
      attempt += 1;
    } else {
      const messages = await log.readFrom(sequence + 1);
      const isOver = head.state === 'ended' || head.state === 'cancelled';
      if (isOver && messages.length === 0) return undefined;
      if (isOver || messages.length > 0 || head.state === 'waiting' || now() >= until) {
        return replay(core, found, sequence, messages, isOver, now());
      }
      await new Promise<void>((resolve) => exchange.clock.after(LOOK_EVERY_MS, resolve));
    }
  }
  return undefined;
}

function replay(
  core: Core,
  { log, head }: Found,
  sequence: number,
  messages: readonly string[],
  isOver: boolean,
  now: number,
): Reply {
  const frames = log.frames(messages, sequence + 1);
  const age = head.state === 'waiting' ? now - head.since : 0;
  const rest = isOver ? '' : log.priming(sequence + messages.length, retryAfter(core, age));
  return { status: 200, headers: SSE_HEADERS, body: frames + rest };
}

/** A run whose lease ended without an end mark, or a call that nobody answered. It is never run a second time. */
function isLost(head: StreamHead, now: number): boolean {
  if (head.state === 'running') return now > head.lease;
  return head.state === 'waiting' && now - head.since > MAX_PARKED_MS;
}

async function interrupt(core: Core, session: Session, { log, head }: Found): Promise<void> {
  const first = (await log.readFrom(1)).length + 1;
  const text = errorText(head.request.id, RPC.internalError, 'Interrupted');
  try {
    await log.append([text], first);
  } catch (error) {
    // Somebody else has just written the same.
    if (!(error instanceof StreamLost)) throw error;
  }
  await log.save({ ...head, state: 'ended', pending: [], next: first + 1 });
  await closeOpenStream(core, session, log.id);
}

/** Takes over a call whose stream its handler closed, and sends the rest; `undefined` when somebody else was faster. */
async function claim(
  core: Core,
  exchange: Exchange,
  session: Session,
  found: Found,
  sequence: number,
): Promise<Reply | undefined> {
  const { log } = found;
  const head: StreamHead = { ...found.head, state: 'running', lease: leaseOf(exchange) };
  if (!(await log.save(head))) return undefined;
  const missed = await log.readFrom(sequence + 1);
  const { run, stream } = startContinuation(core, exchange, session, log, head);
  const opening = missed.length > 0 ? log.frames(missed, sequence + 1) : log.priming(sequence);
  const sink: Sink = {
    resumable: true,
    open: async () => opening,
    write: (messages, live) => stream.write(messages, live),
    whole: async (messages) => opening + (await stream.write(messages, false)),
    end: (outcome, unsent) => stream.end(outcome, unsent),
  };
  return deliver({ core, exchange, accepted: { json: false, sse: true }, run, sink, atOnce: true });
}
