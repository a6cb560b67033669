import { type Exchange, nowMs, type Reply } from '../../http/internal/exchange.js';
import { COMMENT_FRAME, SSE_HEADERS } from '../../http/internal/sse.js';
import type { Core } from '../../server/internal/core.js';
import { type Change, FeedReader } from './change-feed.js';

const SAFETY_MS = 2000;
const COMMENT_EVERY_MS = 15_000;

/** What a listener writes. */
export interface Listener {
  /** Epoch milliseconds from which changes count. */
  readonly from: number;
  /** Frames at the beginning. */
  readonly head: string;
  /** The frame of a change, or `''` when it is not wanted. */
  frame(change: Change): string | Promise<string>;
  /** Frames at the end; `position` is how far the feed was read. */
  tail(position: number): string;
}

/** A stream of changes that ends by itself before the deadline. Looks at the feed, since nothing can call it. */
export function listenReply(core: Core, exchange: Exchange, listener: Listener): Reply {
  return { status: 200, headers: SSE_HEADERS, body: new ListenBody(core, exchange, listener) };
}

class ListenBody implements AsyncIterableIterator<Uint8Array> {
  readonly #core: Core;
  readonly #exchange: Exchange;
  readonly #listener: Listener;
  readonly #frames: AsyncGenerator<Uint8Array, void>;
  #gone = false;
  #wake: () => void = () => {};

  constructor(core: Core, exchange: Exchange, listener: Listener) {
    this.#core = core;
    this.#exchange = exchange;
    this.#listener = listener;
    this.#frames = this.#generate();
    if (exchange.signal.aborted) this.#leave();
    else exchange.signal.addEventListener('abort', () => this.#leave(), { once: true });
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
    this.#gone = true;
    this.#wake();
  }

  async *#generate(): AsyncGenerator<Uint8Array, void> {
    const { settings } = this.#core;
    const { clock, deadline } = this.#exchange;
    const end = Math.min(deadline - SAFETY_MS, nowMs(clock) + settings.listenMs);
    const reader = new FeedReader(this.#core, this.#listener.from);
    let lastWrite = nowMs(clock);
    yield Buffer.from(this.#listener.head, 'utf8');
    while (!this.#gone && nowMs(clock) < end) {
      await this.#pause(Math.min(settings.changePollMs, end - nowMs(clock)));
      if (this.#gone) return;
      const frames = await this.#read(reader);
      const quiet = nowMs(clock) - lastWrite >= COMMENT_EVERY_MS;
      if (frames === '' && !quiet) continue;
      lastWrite = nowMs(clock);
      yield Buffer.from(frames === '' ? COMMENT_FRAME : frames, 'utf8');
    }
    if (!this.#gone) yield Buffer.from(this.#listener.tail(reader.position), 'utf8');
  }

  async #read(reader: FeedReader): Promise<string> {
    let frames = '';
    for (const change of await reader.poll(nowMs(this.#exchange.clock))) frames += await this.#listener.frame(change);
    return frames;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#exchange.clock.after(ms, resolve);
      this.#wake = () => {
        stop();
        resolve();
      };
    });
  }
}

/** The notification of a change; `meta` goes into its parameters. */
export function changeNotification(change: Change, meta?: object): string {
  const _meta = meta && { _meta: meta };
  if ('resource' in change) {
    return JSON.stringify({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: change.resource, ..._meta },
    });
  }
  const method = `notifications/${change.list}/list_changed`;
  return JSON.stringify(_meta ? { jsonrpc: '2.0', method, params: _meta } : { jsonrpc: '2.0', method });
}
