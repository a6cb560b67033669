import { invalidStoreConfig, ObjectStoreError } from '../../errors.js';

/** The byte stream of a response. */
export type Body = AsyncIterable<Uint8Array>;

/**
 * Reads a body of at most `maxBytes`. A body whose length is known is read into one buffer of that length; a length above the
 * limit is rejected without reading.
 */
export async function readBody(body: unknown, length: number | undefined, maxBytes: number): Promise<Uint8Array> {
  if (!isBody(body)) throw invalidStoreConfig('the store returned no body');
  if (length === undefined) return readUnknown(body, maxBytes);
  if (length > maxBytes) throw tooLarge();
  const bytes = allocate(length);
  let end = 0;
  for await (const chunk of body) {
    if (end + chunk.byteLength > length) throw tooLarge();
    bytes.set(chunk, end);
    end += chunk.byteLength;
  }
  if (end < length) throw truncated();
  return bytes;
}

/**
 * Ignores errors of a body that is not read to its end: it fails later, for example because its checksum covers all bytes. An error
 * of a stream without a listener would terminate the process.
 */
export function ignoreLateErrors(body: unknown): void {
  const { on } = (body ?? {}) as { on?: unknown };
  if (typeof on === 'function') on.call(body, 'error', () => {});
}

/** Reads a body of unknown length. S3 sends the length of every object, but a proxy may remove it. */
async function readUnknown(body: Body, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  const bytes = allocate(length);
  let end = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, end);
    end += chunk.byteLength;
  }
  return bytes;
}

function allocate(length: number): Uint8Array {
  try {
    return new Uint8Array(length);
  } catch (cause) {
    throw tooLarge(cause);
  }
}

function isBody(body: unknown): body is Body {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

function tooLarge(cause?: unknown): ObjectStoreError {
  return new ObjectStoreError('objectstore.object_too_large', 'framework: the object has more bytes than allowed', {
    cause,
  });
}

function truncated(): ObjectStoreError {
  return new ObjectStoreError('objectstore.unavailable', 'framework: the body of the object was truncated', {
    retryable: true,
  });
}
