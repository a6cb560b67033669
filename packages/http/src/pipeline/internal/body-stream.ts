import { type BodyStream, FrameworkError } from '@sallyport/core';
import { asBuffer, closeStream, internalError } from '@sallyport/core/internal';
import { iteratorOf } from '../../responses/responses.js';

/** A chunk as bytes; text is encoded as UTF-8, any other value fails the stream. */
function toBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk === 'string') return Buffer.from(chunk, 'utf8');
  throw internalError('a stream chunk is not text or bytes');
}

/**
 * Reads a stream to its end.
 *
 * @throws FrameworkError `app.internal` past `maxBytes`; the error of the stream
 */
export async function collectStream(stream: BodyStream, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = toBytes(chunk);
    size += bytes.byteLength;
    if (size > maxBytes) throw internalError(`the collected stream exceeds ${maxBytes} bytes`);
    chunks.push(bytes);
  }
  return chunks.length === 1 ? asBuffer(chunks[0] as Uint8Array) : Buffer.concat(chunks);
}

/** The stream, failing with 413 at the chunk that would exceed the limit. */
export function limitStream(stream: BodyStream, maxBytes: number): AsyncIterable<Uint8Array> {
  return tapStream(stream, (bytes) => {
    if (bytes > maxBytes) throw new FrameworkError('app.too_large', 'response too large');
  });
}

/** The stream, with a callback for its end, called once, even if its reader stops before the end or before the start. */
export function watchStream(
  stream: BodyStream,
  onEnd: (bytes: number, error?: unknown) => void,
): AsyncIterable<Uint8Array> {
  let size = 0;
  return tapStream(
    stream,
    (bytes) => {
      size = bytes;
    },
    (error) => onEnd(size, error),
  );
}

/**
 * The stream as bytes, with a check of the total size after each chunk and at its end. Written by hand: the `return()` of
 * an async generator waits for a pending `next()`, so a hanging source would not detect that its reader has stopped.
 */
function tapStream(
  stream: BodyStream,
  onChunk: (totalBytes: number) => void,
  onEnd: (error?: unknown) => void = () => {},
): AsyncIterable<Uint8Array> {
  const iterator = iteratorOf(stream);
  let total = 0;
  let ended = false;
  const end = (error?: unknown) => {
    if (!ended) onEnd(error);
    ended = true;
  };
  const leave = async () => {
    if (!ended) {
      end();
      await iterator.return?.();
    }
    return { done: true as const, value: undefined };
  };
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    if (ended) return { done: true, value: undefined };
    try {
      const result = await iterator.next();
      if (result.done) {
        end();
        return { done: true, value: undefined };
      }
      const bytes = toBytes(result.value);
      onChunk(total + bytes.byteLength);
      total += bytes.byteLength;
      return { done: false, value: bytes };
    } catch (error) {
      end(error);
      void Promise.resolve(iterator.return?.()).catch(() => {});
      throw error;
    }
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: leave }) };
}

/**
 * The stream, after its first chunk has been read; `undefined` if it ends before its first chunk.
 *
 * @throws the error of the stream; the signal's reason when it aborts before the first chunk
 */
export async function startStream(
  stream: BodyStream,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const iterator = iteratorOf(stream);
  const first = await raceWithAbort(signal)(Promise.resolve(iterator.next()));
  if (first === ABORTED) {
    void closeStream({ [Symbol.asyncIterator]: () => iterator as AsyncIterator<Uint8Array> });
    throw signal.reason;
  }
  if (first.done) return undefined;
  let pending: IteratorResult<Uint8Array> | undefined = first;
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const ready = pending;
        pending = undefined;
        return ready ?? iterator.next();
      },
      return: async () => {
        await iterator.return?.();
        return { done: true, value: undefined };
      },
    }),
  };
}

/** The result of {@link raceWithAbort} if the signal aborts first. */
export const ABORTED = Symbol('aborted');

/**
 * Races one promise after another with a signal, through one listener for all of them. A late rejection of a promise
 * that lost is handled too.
 */
export function raceWithAbort(signal: AbortSignal): <T>(work: Promise<T>) => Promise<T | typeof ABORTED> {
  let stop: (() => void) | undefined;
  signal.addEventListener('abort', () => stop?.(), { once: true });
  return (work) =>
    new Promise((resolve, reject) => {
      stop = () => resolve(ABORTED);
      if (signal.aborted) stop();
      work.then(resolve, reject);
    });
}
