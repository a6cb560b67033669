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
