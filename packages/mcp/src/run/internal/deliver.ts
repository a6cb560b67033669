import type { Accepted } from '../../http/internal/accept.js';
import { type Exchange, jsonReply, type Reply } from '../../http/internal/exchange.js';
import { loadLiveBody } from '../../http/internal/lazy.js';
import { messageFrame, SSE_HEADERS } from '../../http/internal/sse.js';
import type { Core } from '../../server/internal/core.js';
import type { Run } from './run.js';
import type { Outcome } from './run-scope.js';

const OPEN_AFTER_MS = 5000;

/** What ends an answer. */
export interface Ending {
  /** The response, or questions; empty when there is no response. */
  readonly messages: readonly string[];
  /** HTTP status when the stream has not begun. */
  readonly status: number;
  /** `json`: whenever nothing was sent before. `sse`: needs a stream. */
  readonly form: 'json' | 'any' | 'sse';
  /** Frames behind the messages. */
  readonly trailer?: string;
}

/** Turns messages into frames, and stores them where the client can come back for them. */
export interface Sink {
  /** Frames before everything else, when the handler is still running. */
  open(): Promise<string>;
  /** `live`: the handler is still running. */
  write(messages: readonly string[], live: boolean): Promise<string>;
  /** All frames of a stream that is complete; called after `end`. */
  whole(messages: readonly string[]): Promise<string>;
  /** Saves what the end leaves behind. `unsent` holds events that no `write` has had. */
  end(outcome: Outcome, unsent: readonly string[]): Promise<Ending>;
  /** Whether a client that is gone may come back for the rest. */
  readonly resumable: boolean;
}

/** Frames without ids; nothing is stored. */
export function plainSink(end: (outcome: Outcome) => Promise<Ending>): Sink {
  return {
    open: async () => '',
    write: async (messages) => plainFrames(messages),
    whole: async (messages) => plainFrames(messages),
    end,
    resumable: false,
  };
}

/** Messages as events without ids: nobody can come back to them. */
export function plainFrames(messages: readonly string[]): string {
  return messages.map((json) => messageFrame(json)).join('');
}

export interface Delivery {
  readonly core: Core;
  readonly exchange: Exchange;
  readonly accepted: Accepted;
  readonly run: Run;
  readonly sink: Sink;
  /** Stream at once: a replay comes first. */
  readonly atOnce?: boolean;
}

/** Answers with what a run sends: JSON when only a result comes, else an event stream; live where the door streams. */
export async function deliver(delivery: Delivery): Promise<Reply> {
  const { accepted, exchange } = delivery;
  if (!exchange.canStream || !accepted.sse) return deliverBuffered(delivery);
  if (!delivery.atOnce && !(await comesFirst(delivery))) return deliverBuffered(delivery);
  const { LiveBody } = await loadLiveBody();
  return { status: 200, headers: SSE_HEADERS, body: new LiveBody(delivery) };
}

/** Whether an event, or the time to show a sign of life, comes before the end. */
async function comesFirst({ run, exchange }: Delivery): Promise<boolean> {
  let stop = () => {};
  const event = new Promise<boolean>((resolve) => {
    run.onEvent = () => resolve(true);
    if (run.hasEvents) resolve(true);
    stop = exchange.clock.after(OPEN_AFTER_MS, () => resolve(true));
  });
  const ended = run.outcome.then(() => false);
  const first = await Promise.race([event, ended]);
  stop();
  run.onEvent = undefined;
  return first;
}

async function deliverBuffered({ accepted, run, sink, atOnce }: Delivery): Promise<Reply> {
  const outcome = await run.outcome;
  const taken = await run.takeEvents();
  const events = accepted.sse ? taken : [];
  const ending = await sink.end(outcome, events);
  const { messages, status, form, trailer = '' } = ending;
  const [only] = messages;
  const plain = events.length === 0 && form !== 'sse' && only !== undefined && atOnce !== true;
  if (plain && (form === 'json' || (accepted.json && !accepted.ratherSse))) return jsonReply(only, status);
  if (!accepted.sse) return jsonReply(only ?? '', status);
  const frames = await sink.whole([...events, ...messages]);
  return { status: 200, headers: SSE_HEADERS, body: frames + trailer };
}
