import { asBuffer, type BodyStream, FrameworkError } from '@sallyport/core';
import { closeStream } from '@sallyport/core/pipeline';
import { INTERNAL_ERROR } from './error-body.js';

/** A chunk as bytes; text is taken for UTF-8, anything else breaks the stream. */
function toBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk === 'string') return Buffer.from(chunk, 'utf8');
  throw INTERNAL_ERROR;
}

/**
 * Reads a stream to its end.
 *
 * @throws FrameworkError `app.internal` past `maxBytes`; whatever the stream throws
 */
export async function collectStream(stream: BodyStream, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = toBytes(chunk);
    size += bytes.byteLength;
    if (size > maxBytes) throw INTERNAL_ERROR;
    chunks.push(bytes);
  }
  return chunks.length === 1 ? asBuffer(chunks[0] as Uint8Array) : Buffer.concat(chunks);
}

/** The stream, failing with 413 at the chunk that would exceed the limit. */
export async function* limitStream(stream: BodyStream, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of stream) {
    const bytes = toBytes(chunk);
    size += bytes.byteLength;
    if (size > maxBytes) throw new FrameworkError('app.too_large', 'response too large');
    yield bytes;
  }
}

/** The stream, telling how it ended: once, also when its reader leaves before the end or before the start. */
export function watchStream(
  stream: BodyStream,
  onEnd: (bytes: number, error?: unknown) => void,
): AsyncIterable<Uint8Array> {
  let ended = false;
  let size = 0;
  const end = (error?: unknown) => {
    if (!ended) onEnd(size, error);
    ended = true;
  };
  async function* run(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of stream) {
        const bytes = toBytes(chunk);
        size += bytes.byteLength;
        yield bytes;
      }
    } catch (error) {
      end(error);
      throw error;
    } finally {
      end();
    }
  }
  return {
    [Symbol.asyncIterator]() {
      const iterator = run();
      let started = false;
      return {
        next: () => {
          started = true;
          return iterator.next();
        },
        return: async (value?: unknown) => {
          if (!started) await closeStream(stream);
          end();
          return iterator.return(value);
        },
      };
    },
  };
}

/** The stream behind its first chunk, which has been read by then; `undefined` when it ends before one. */
export async function startStream(stream: BodyStream): Promise<AsyncIterable<Uint8Array> | undefined> {
  const iterator = iterate(stream);
  const first = await iterator.next();
  if (first.done) return undefined;
  let pending: IteratorResult<Uint8Array> | undefined = first;
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const ready = pending;
        pending = undefined;
        return ready ? Promise.resolve(ready) : Promise.resolve(iterator.next());
      },
      return: async (value?: unknown) => {
        await iterator.return?.(value);
        return { done: true, value: undefined };
      },
    }),
  };
}

function iterate(stream: BodyStream): AsyncIterator<Uint8Array> | Iterator<Uint8Array> {
  return Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator]();
}
