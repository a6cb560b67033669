import type { MaybePromise } from '@sallyport/core';
import { macText, nodeCrypto } from './crypto.js';
import type { Sealer, SealPurpose } from './sealer.js';
import { type McpSecret, parseSecret } from './secret.js';

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

async function resolveKeys(secret: McpSecret | (() => MaybePromise<McpSecret>)): Promise<readonly Uint8Array[]> {
  return parseSecret(typeof secret === 'function' ? await secret() : secret);
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
