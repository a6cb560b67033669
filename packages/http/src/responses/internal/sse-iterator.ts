import { encodeUtf8, type FullClock } from '@sallyport/core';
import { encodeSseEvent, type SseEvent } from '../sse-event.js';
import { abandon, iteratorOf, type Source } from './pull.js';

export interface SseIteratorOptions {
  readonly heartbeatMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly clock: FullClock;
}

/** What a wait for the next chunk ended with. */
type Outcome = { readonly result: IteratorResult<SseEvent> } | { readonly error: unknown } | 'heartbeat' | 'ended';

const HEARTBEAT = encodeUtf8(': keep-alive\n\n');
const DONE: IteratorResult<Uint8Array> = { done: true, value: undefined };

/** Frames of a source of events: pulls one event at a time, and beats while its reader waits for one. */
export class SseIterator implements AsyncIterator<Uint8Array> {
  readonly #options: SseIteratorOptions;
  readonly #source: AsyncIterator<SseEvent> | Iterator<SseEvent>;
  readonly #onAbort = () => this.#end();
  /** Ends the wait that is on. */
  #wake: ((outcome: Outcome) => void) | undefined;
  #pulling = false;
  /** What the source gave while nobody waited, because a heartbeat had gone out in its place. */
  #ready: Outcome | undefined;
  /** The call of `next` before this one. */
  #turn: Promise<unknown> = Promise.resolve();
  #ended = false;

  constructor(events: Source<SseEvent>, options: SseIteratorOptions) {
    this.#options = options;
    this.#source = iteratorOf(events);
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (options.signal?.aborted) this.#end();
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const turn = this.#turn.then(() => this.#step());
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#end();
    return DONE;
  }

  async #step(): Promise<IteratorResult<Uint8Array>> {
    if (this.#ended) return DONE;
    const outcome = this.#takeReady() ?? (await this.#wait());
    if (outcome === 'heartbeat') return { done: false, value: HEARTBEAT };
    if (outcome === 'ended') return DONE;
    if ('result' in outcome && !outcome.result.done) return { done: false, value: this.#encode(outcome.result.value) };
    this.#finish();
    if ('error' in outcome) throw outcome.error;
    return DONE;
  }

  #takeReady(): Outcome | undefined {
    const ready = this.#ready;
    this.#ready = undefined;
    return ready;
  }

  /** The source's next event, or a heartbeat, or the end, whichever is first. */
  #wait(): Promise<Outcome> {
    return new Promise((resolve) => {
      const { heartbeatMs, clock } = this.#options;
      const stop = heartbeatMs === undefined ? undefined : clock.after(heartbeatMs, () => this.#wake?.('heartbeat'));
      this.#wake = (outcome) => {
        stop?.();
        this.#wake = undefined;
        resolve(outcome);
      };
      void this.#pull();
    });
  }

  async #pull(): Promise<void> {
    if (this.#pulling) return;
    this.#pulling = true;
    let outcome: Outcome;
    try {
      outcome = { result: await this.#source.next() };
    } catch (error) {
      outcome = { error };
    }
    this.#pulling = false;
    if (this.#wake) this.#wake(outcome);
    else this.#ready = outcome;
  }

  #encode(event: SseEvent): Uint8Array {
    try {
      return encodeUtf8(encodeSseEvent(event));
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  /** Ends early: the source is told, and whoever waits is let go. */
  #end(): void {
    if (this.#ended) return;
    this.#finish();
    abandon(this.#source);
    this.#wake?.('ended');
  }

  #finish(): void {
    this.#ended = true;
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
  }
}
