import { nowMs } from '../../http/internal/exchange.js';
import { COMMENT_FRAME } from '../../http/internal/sse.js';
import type { Delivery } from './deliver.js';
import type { Run } from './run.js';
import type { Outcome } from './run-scope.js';

const FLUSH_MS = 50;
const COMMENT_EVERY_MS = 15_000;
const LOOK_EVERY_MS = 1000;

/** The body of a live stream. Its `return` is how a door says that the client is gone. */
export class LiveBody implements AsyncIterableIterator<Uint8Array> {
  readonly #delivery: Delivery;
  readonly #run: Run;
  readonly #frames: AsyncGenerator<Uint8Array, void>;
  #gone = false;
  #wake: () => void = () => {};
  #ended: Outcome | undefined;

  constructor(delivery: Delivery) {
    const { run } = delivery;
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
      const head = await sink.open();
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
