import type { Accepted } from './accept.js';
import type { Core } from './core.js';
import { type Exchange, jsonReply, nowMs, type Reply } from './exchange.js';
import type { Outcome, Run } from './run.js';
import { COMMENT_FRAME, messageFrame, SSE_HEADERS } from './sse.js';

const FLUSH_MS = 50;
const OPEN_AFTER_MS = 5000;
const COMMENT_EVERY_MS = 15_000;
const LOOK_EVERY_MS = 1000;

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
  /** Frames before everything else; `live` when the handler is still running. */
  open(live: boolean): Promise<string>;
  write(messages: readonly string[], live: boolean): Promise<string>;
  /** Saves what the end leaves behind. `unsent` holds events that no `write` has had. */
  end(outcome: Outcome, unsent: readonly string[]): Promise<Ending>;
  /** Whether a client that is gone may come back for the rest. */
  readonly resumable: boolean;
}

/** Frames without ids; nothing is stored. */
export function plainSink(end: (outcome: Outcome) => Promise<Ending>): Sink {
  return {
    open: async () => '',
    write: async (messages) => messages.map((json) => messageFrame(json)).join(''),
    end,
    resumable: false,
  };
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
  const { accepted, exchange, run } = delivery;
  if (!exchange.canStream || !accepted.sse) return deliverBuffered(delivery);
  if (!delivery.atOnce && !(await comesFirst(delivery))) return deliverBuffered(delivery);
  return { status: 200, headers: SSE_HEADERS, body: new LiveBody(delivery, run) };
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
  const head = await sink.open(false);
  const frames = await sink.write([...events, ...messages], false);
  return { status: 200, headers: SSE_HEADERS, body: head + frames + trailer };
}

/** The body of a live stream. Its `return` is how a door says that the client is gone. */
class LiveBody implements AsyncIterableIterator<Uint8Array> {
  readonly #delivery: Delivery;
  readonly #run: Run;
  readonly #frames: AsyncGenerator<Uint8Array, void>;
  #gone = false;
  #wake: () => void = () => {};
  #ended: Outcome | undefined;

  constructor(delivery: Delivery, run: Run) {
    this.#delivery = delivery;
    this.#run = run;
    this.#frames = this.#generate();
    run.onEvent = () => this.#wake();
    run.outcome.then((outcome) => {
      this.#ended = outcome;
      this.#wake();
    });
    const { signal } = delivery.exchange;
    if (signal.aborted) this.#leave();
    else signal.addEventListener('abort', () => this.#leave(), { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, void>> {
    return this.#frames.next();
  }

  async return(): Promise<IteratorResult<Uint8Array, void>> {
    this.#leave();
    return this.#frames.return();
  }

  #leave(): void {
    if (this.#ended) return;
    this.#gone = true;
    if (!this.#delivery.sink.resumable) this.#run.cancel();
    this.#wake();
  }

  async *#generate(): AsyncGenerator<Uint8Array, void> {
    const { sink, exchange } = this.#delivery;
    let finished = false;
    try {
      const head = await sink.open(true);
      if (head !== '') yield Buffer.from(head, 'utf8');
      let lastWrite = nowMs(exchange.clock);
      while (!this.#ended) {
        await this.#turn();
        const frames = await this.#flush();
        const quiet = nowMs(exchange.clock) - lastWrite >= COMMENT_EVERY_MS;
        if (frames === '' && !quiet) continue;
        lastWrite = nowMs(exchange.clock);
        yield Buffer.from(frames === '' ? COMMENT_FRAME : frames, 'utf8');
      }
      const last = await this.#end(this.#ended);
      finished = true;
      if (last !== '') yield Buffer.from(last, 'utf8');
    } finally {
      if (!finished) await this.#endAlone();
    }
  }

  /** Waits for something to write; then a little longer, so that events that come together go together. */
  async #turn(): Promise<void> {
    const { exchange } = this.#delivery;
    if (!this.#run.hasEvents && !this.#ended) {
      await this.#pause(LOOK_EVERY_MS);
      if (!this.#run.hasEvents && !this.#ended && !this.#gone) await this.#run.checkCancelled();
    } else if (!this.#ended) {
      await new Promise<void>((resolve) => {
        const stop = exchange.clock.after(FLUSH_MS, resolve);
        this.#wake = () => {
          if (!this.#ended && !this.#gone) return;
          stop();
          resolve();
        };
      });
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#delivery.exchange.clock.after(ms, resolve);
      this.#wake = () => {
        stop();
        resolve();
      };
    });
  }

  async #flush(): Promise<string> {
    const events = await this.#run.takeEvents();
    return events.length === 0 ? '' : this.#delivery.sink.write(events, true);
  }

  async #end(outcome: Outcome): Promise<string> {
    const { sink } = this.#delivery;
    const frames = await this.#flush();
    const { messages, trailer = '' } = await sink.end(outcome, []);
    return frames + (await sink.write(messages, false)) + trailer;
  }

  /** The client is gone: the run goes on to its end only where the client can come back for it. */
  async #endAlone(): Promise<void> {
    if (!this.#delivery.sink.resumable) {
      this.#run.cancel();
      return;
    }
    while (!this.#ended) {
      await this.#turn();
      await this.#flush();
    }
    await this.#end(this.#ended);
  }
}
