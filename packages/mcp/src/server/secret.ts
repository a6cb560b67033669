import { invalidOption } from '@sallyport/core';

/** Keys of at least 32 bytes each. `current` seals; `previous` ones still open what they sealed. */
export interface McpSecret {
  readonly current: string | Uint8Array;
  readonly previous?: readonly (string | Uint8Array)[];
}

const MIN_BYTES = 32;

/**
 * The keys of a secret, the current one first.
 *
 * @throws FrameworkError when a key is shorter than 32 bytes; the text never holds the key
 */
export function parseSecret(secret: McpSecret): readonly Uint8Array[] {
  if (typeof secret !== 'object' || secret === null) throw invalidOption('secret', 'an object with "current"');
  const keys = [secret.current, ...(secret.previous ?? [])].map((key) => {
    const bytes = typeof key === 'string' ? Buffer.from(key, 'utf8') : key;
    if (!(bytes instanceof Uint8Array) || bytes.length < MIN_BYTES) {
      throw invalidOption('secret', `keys of at least ${MIN_BYTES} bytes`);
    }
    return bytes;
  });
  return keys;
}
