import { encodeUtf8 } from '@sallyport/core';
import { internalError } from '@sallyport/core/pipeline';

const DONE: IteratorResult<Uint8Array> = { done: true, value: undefined };

/**
 * Bytes of a stream of text and bytes, read once and only as fast as they are asked for. A character whose halves came in
 * two pieces of text stays whole; ending early ends the source at once.
 */
export function toByteStream(source: Source<string | Uint8Array>): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => new ByteIterator(source) };
}

class ByteIterator implements AsyncIterator<Uint8Array> {
  readonly #source: AsyncIterator<string | Uint8Array> | Iterator<string | Uint8Array>;
  /** First half of a surrogate pair at the end of the last piece of text. */
  #half = '';
  #ended = false;

  constructor(source: Source<string | Uint8Array>) {
    this.#source = iteratorOf(source);
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    while (!this.#ended) {
      const { done, value } = await this.#source.next();
      const bytes = done ? this.#finish() : this.#encode(value);
      if (bytes.length > 0) return { done: false, value: bytes };
    }
    return DONE;
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    if (!this.#ended) abandon(this.#source);
    this.#ended = true;
    return DONE;
  }

  #encode(piece: string | Uint8Array): Uint8Array {
    if (typeof piece !== 'string') return this.#append(piece);
    const text = this.#half + piece;
    const last = text.charCodeAt(text.length - 1);
    const cut = last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
    this.#half = text.slice(cut);
    return encodeUtf8(text.slice(0, cut));
  }

  #append(piece: Uint8Array): Uint8Array {
    if (!(piece instanceof Uint8Array)) {
      void this.return();
      throw internalError('stream chunk is no text and no bytes');
    }
    const half = this.#half;
    this.#half = '';
    return half === '' ? piece : Buffer.concat([encodeUtf8(half), piece]);
  }

  #finish(): Uint8Array {
    this.#ended = true;
    return encodeUtf8(this.#half);
  }
}

/** What a stream helper reads from: either kind of iterable. */
export type Source<T> = AsyncIterable<T> | Iterable<T>;

/** The iterator of either kind of iterable; the asynchronous one where there are both. */
export function iteratorOf<T>(source: Source<T>): AsyncIterator<T> | Iterator<T> {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
}

/**
 * Tells an iterator that nobody will read on. Does not wait: an asynchronous generator that is held up by its own source
 * takes the news only when that lets go.
 */
export function abandon(iterator: AsyncIterator<unknown> | Iterator<unknown>): void {
  try {
    const ended = iterator.return?.();
    if (ended instanceof Promise) ended.catch(() => {});
  } catch {
    // Nobody reads it either way.
  }
}
