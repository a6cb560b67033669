import { gunzipSync } from 'node:zlib';

export type GunzipFailure = 'too large' | 'ratio too high' | 'invalid';

/** Bytes up to which no ratio is held against a document: small ones compress very well. */
const FREE_BYTES = 64 * 1024;
const MAX_RATIO = 100;

/**
 * Inflates gzip data (RFC 1952) and stops at the first byte beyond a bound, so that a bomb is never held whole in memory.
 * Both bounds are one while inflating: the document may not outgrow `maxBytes`, nor, beyond 64 KiB, 100 times its input.
 */
export function gunzipBounded(compressed: Uint8Array, maxBytes: number): Buffer | GunzipFailure {
  const byRatio = Math.max(FREE_BYTES, compressed.length * MAX_RATIO);
  try {
    const { buffer, engine } = inflate(compressed, Math.min(maxBytes, byRatio));
    // What follows the last member is not gzip; zlib would pass zeros over in silence.
    return engine.bytesWritten === compressed.length ? buffer : 'invalid';
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_BUFFER_TOO_LARGE') return 'invalid';
    return byRatio < maxBytes ? 'ratio too high' : 'too large';
  }
}

/** `info` is documented but missing in the types of Node's declarations. */
function inflate(compressed: Uint8Array, maxOutputLength: number) {
  return gunzipSync(compressed, { maxOutputLength, info: true }) as unknown as {
    readonly buffer: Buffer;
    readonly engine: { readonly bytesWritten: number };
  };
}
