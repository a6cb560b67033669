import type { FullClock } from '@sallyport/core';
import { isFrameworkError } from '@sallyport/core';
import { MicrovmError } from '../../../errors.js';
import { withoutText } from '../../../provider/internal/errors.js';
import type { CallerFacts } from '../../caller.js';

/** The abort signal of one `invoke`, from its start to the last response byte: aborted by the caller or at the end of the invocation. */
export class Lifeline {
  readonly #controller = new AbortController();
  readonly #cleanUps: (() => void)[] = [];

  constructor(clock: FullClock, { signal, remainingMs }: CallerFacts, marginMs: number) {
    const left = remainingMs();
    if (Number.isFinite(left)) {
      const timeout = () => this.end(new MicrovmError('microvm.workload_timeout', 'workload timeout'));
      this.#cleanUps.push(clock.after(Math.max(0, left - marginMs), timeout));
    }
    if (signal === undefined) return;
    const onAbort = () => this.end(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    this.#cleanUps.push(() => signal.removeEventListener('abort', onAbort));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts the request. */
  end(reason?: unknown): void {
    for (const cleanUp of this.#cleanUps.splice(0)) cleanUp();
    if (!this.signal.aborted) this.#controller.abort(reason);
  }

  /** Waits for work, and rejects when the signal aborts. */
  async race<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    let onAbort = () => {};
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([work, aborted]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      // If the signal aborted first, a later failure of the work is ignored.
      work.catch(() => {});
    }
  }
}

/**
 * The bytes of a response up to a limit. Leaving the loop ends the request. Errors of the transport pass without their messages.
 *
 * @throws MicrovmError `microvm.response_too_large`, and errors of the transport
 */
export function limited(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  lifeline: Lifeline,
): AsyncIterable<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  let bytes = 0;
  const leave = async (reason?: unknown): Promise<IteratorResult<Uint8Array>> => {
    lifeline.end(reason);
    await iterator.return?.();
    return { done: true, value: undefined };
  };
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    try {
      const result = await iterator.next();
      if (result.done) return await leave();
      bytes += result.value.byteLength;
      if (bytes <= maxBytes) return result;
      throw new MicrovmError('microvm.response_too_large', 'response of the workload is too large');
    } catch (error) {
      await leave(error);
      if (isFrameworkError(error)) throw error;
      throw new MicrovmError('microvm.workload_unreachable', 'workload unreachable', { cause: withoutText(error) });
    }
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: () => leave() }) };
}
