import { lazily } from '@sallyport/core/internal';
import { jsonReply, messageFrame, type Reply, SSE_HEADERS } from '../../http/internal/exchange.js';
import type { Delivery, Ending, Sink } from './call.js';
import type { Outcome } from './run.js';

const OPEN_AFTER_MS = 5000;

/** Bodies of doors that stream. */
const loadLive = lazily(() => import('./live.js'));

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

/** Messages as events without ids: a client cannot resume from them. */
export function plainFrames(messages: readonly string[]): string {
  return messages.map((json) => messageFrame(json)).join('');
}

/**
 * Answers with the output of a run: JSON if there is only a result, else an event stream. The stream is live if the door can
 * stream.
 */
export async function deliver(delivery: Delivery): Promise<Reply> {
  const { accepted, http } = delivery;
  if (!http.canStream || !accepted.sse) return deliverBuffered(delivery);
  if (!delivery.atOnce && !(await comesFirst(delivery))) return deliverBuffered(delivery);
  const { LiveBody } = await loadLive();
  return { status: 200, headers: SSE_HEADERS, body: new LiveBody(delivery) };
}

/** True if the run sends an event, or needs a keep-alive comment, before its end. */
async function comesFirst({ run, http }: Delivery): Promise<boolean> {
  const { record } = run;
  let stop = () => {};
  const event = new Promise<boolean>((resolve) => {
    record.onEvent = () => resolve(true);
    if (record.hasEvents) resolve(true);
    stop = http.clock.after(OPEN_AFTER_MS, () => resolve(true));
  });
  const ended = run.outcome.then(() => false);
  const first = await Promise.race([event, ended]);
  stop();
  record.onEvent = undefined;
  return first;
}

async function deliverBuffered({ accepted, run, sink, atOnce }: Delivery): Promise<Reply> {
  const outcome = await run.outcome;
  const taken = await run.takeEvents();
  const events = accepted.sse ? taken : [];
  const { messages, status, form, trailer = '' } = await sink.end(outcome, events);
  const [only] = messages;
  const plain = events.length === 0 && form !== 'sse' && only !== undefined && atOnce !== true;
  if (plain && (form === 'json' || (accepted.json && !accepted.ratherSse))) return jsonReply(only, status);
  if (!accepted.sse) return jsonReply(only ?? '', status);
  const frames = await sink.whole([...events, ...messages]);
  return { status: 200, headers: SSE_HEADERS, body: frames + trailer };
}
