import { FrameworkError, invalidOption, type MaybePromise } from '@sallyport/core';
import { nodeCrypto } from './crypto.js';

/** Keys of at least 32 bytes each. `current` seals; `previous` ones still open what they sealed. */
export interface McpSecret {
  readonly current: string | Uint8Array;
  readonly previous?: readonly (string | Uint8Array)[];
}

/** What a sealed token is for; each has a key of its own. */
export type SealPurpose = 'session' | 'state' | 'cursor';

/** Seals and opens short texts. */
export interface Sealer {
  /** An opaque token of visible ASCII. `bound` must be the same text when it is opened. */
  seal(purpose: SealPurpose, text: string, bound: string): Promise<string>;
  /** `undefined` when it was tampered with, is bound to something else, or its key is gone. */
  open(purpose: SealPurpose, token: string, bound: string): Promise<string | undefined>;
  /** A short tag of text under the current key. */
  mac(purpose: SealPurpose, text: string): Promise<string>;
}

const MIN_BYTES = 32;
const VERSION = 'v1.';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Resolves the secret once, at first use; a failure is not remembered. */
export function createSealer(secret: McpSecret | (() => MaybePromise<McpSecret>)): Sealer {
  let pending: Promise<readonly Uint8Array[]> | undefined;
  const derived = new Map<SealPurpose, readonly Buffer[]>();
  const keysFor = async (purpose: SealPurpose): Promise<readonly Buffer[]> => {
    pending ??= resolveKeys(secret);
    const roots = await pending.catch((error: unknown) => {
      pending = undefined;
      throw error;
    });
    const keys = derived.get(purpose) ?? roots.map((root) => deriveKey(root, purpose));
    derived.set(purpose, keys);
    return keys;
  };
  return {
    async seal(purpose, text, bound) {
      const [key] = await keysFor(purpose);
      return VERSION + encrypt(key as Buffer, text, bound);
    },
    async open(purpose, token, bound) {
      if (!token.startsWith(VERSION)) return undefined;
      const sealed = decodeStrict(token.slice(VERSION.length));
      if (sealed === undefined) return undefined;
      for (const key of await keysFor(purpose)) {
        const text = decrypt(key, sealed, bound);
        if (text !== undefined) return text;
      }
      return undefined;
    },
    async mac(purpose, text) {
      const [key] = await keysFor(purpose);
      return macText(key as Buffer, text);
    },
  };
}

/** Twelve bytes of HMAC-SHA-256 as base64url. */
export function macText(key: string | Uint8Array, text: string): string {
  return nodeCrypto().createHmac('sha256', key).update(text).digest('base64url').slice(0, 16);
}

async function resolveKeys(secret: McpSecret | (() => MaybePromise<McpSecret>)): Promise<readonly Uint8Array[]> {
  return parseSecret(typeof secret === 'function' ? await secret() : secret);
}

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

/** RFC 5869 with the purpose as its info. */
function deriveKey(root: Uint8Array, purpose: SealPurpose): Buffer {
  return Buffer.from(nodeCrypto().hkdfSync('sha256', root, '', `sallyport/mcp/${purpose}/v1`, 32));
}

function encrypt(key: Buffer, text: string, bound: string): string {
  const iv = nodeCrypto().randomBytes(IV_BYTES);
  const cipher = nodeCrypto().createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(bound, 'utf8'));
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

function decrypt(key: Buffer, sealed: Buffer, bound: string): string | undefined {
  if (sealed.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = nodeCrypto().createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(bound, 'utf8'));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  const body = sealed.subarray(IV_BYTES, sealed.length - TAG_BYTES);
  try {
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** Only the one spelling of each token: Node's decoder skips what it does not know. */
function decodeStrict(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

/** The sealer of a server without a secret: reaching it is a mistake of ours, never of a client. */
export const noSealer: Sealer = {
  seal: () => Promise.reject(new FrameworkError('app.internal')),
  open: () => Promise.resolve(undefined),
  mac: () => Promise.reject(new FrameworkError('app.internal')),
};
