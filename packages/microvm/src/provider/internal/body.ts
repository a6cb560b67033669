import type { IncomingMessage } from 'node:http';
import type { FullClock } from '@sallyport/core';
import { MicrovmError } from '../../errors.js';
import { withoutText } from './errors.js';

interface BodyOptions {
  readonly clock: FullClock;
  /** Timeout for the next chunk while a consumer is reading, in milliseconds. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
  readonly timeout: () => Error;
}

/**
 * The bytes of a response, read at the speed of the consumer. Written by hand: the `return()` of Node's iterator waits for the
 * previous `next()`, so an idle sender would keep its connection after the consumer leaves.
 */
export function readBody(incoming: IncomingMessage, options: BodyOptions): AsyncIterable<Uint8Array> {
  const reader = new BodyReader(incoming, options);
  return { [Symbol.asyncIterator]: () => reader };
}

class BodyReader implements AsyncIterator<Uint8Array> {
  readonly #incoming: IncomingMessage;
  readonly #options: BodyOptions;
  readonly #onAbort: () => void;
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => {};

  constructor(incoming: IncomingMessage, options: BodyOptions) {
    this.#incoming = incoming;
    this.#options = options;
    this.#onAbort = () => this.#fail(options.signal.reason);
    const wake = () => this.#wake();
    incoming.on('readable', wake).on('end', wake).on('close', wake);
    incoming.on('error', (cause) => this.#fail(unreachable(cause)));
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      if (this.#failure) throw this.#failure.error;
      const chunk: Uint8Array | null = this.#incoming.read();
      if (chunk !== null) return { done: false, value: chunk };
      if (this.#incoming.readableEnded) return this.#end();
      if (this.#incoming.destroyed) this.#fail(unreachable(new Error('the connection was closed')));
      else await this.#more();
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#incoming.destroy();
    return this.#end();
  }

  #end(): IteratorResult<Uint8Array> {
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    return { done: true, value: undefined };
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#end();
    this.#incoming.destroy();
    this.#wake();
  }

  /** Resolves when data, an error or the end may be available. */
  async #more(): Promise<void> {
    const { clock, idleMs, timeout } = this.#options;
    const stop = clock.after(idleMs, () => this.#fail(timeout()));
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    stop();
  }
}

function unreachable(cause: unknown): MicrovmError {
  return new MicrovmError('microvm.workload_unreachable', 'workload unreachable', { cause: withoutText(cause) });
}
