import { FrameworkError } from '@sallyport/core';
import { canonicalJson, isTransient, StoreTimeout, sha256Url } from '@sallyport/core/internal';
import { type McpSecret, type McpSecretReader, parseSecret } from '../server/options.js';
import { type InvocationLimit, withinInvocation } from './invocation-limit.js';

/** Loading `node:crypto` takes 6 ms, so it is loaded with the first hash, seal or random id. */
export function nodeCrypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto');
}

/** Random bytes as base64url. */
export function randomText(bytes: number): string {
  return nodeCrypto().randomBytes(bytes).toString('base64url');
}

/** A digest that identifies a question, or a set of arguments. */
export function digestOf(value: unknown): string {
  return sha256Url(canonicalJson(value)).slice(0, 22);
}

/** Twelve bytes of HMAC-SHA-256 as base64url. */
export function macText(key: string | Uint8Array, text: string): string {
  return nodeCrypto().createHmac('sha256', key).update(text).digest('base64url').slice(0, 16);
}

/** The purpose of a sealed token. Each purpose has its own key. */
export type SealPurpose = 'session' | 'state' | 'cursor' | 'task' | 'client' | 'sign-in';

/** Seals and opens short strings. */
export interface Sealer {
  /** Encrypts text as an opaque token of visible ASCII. The token opens only with an equal `bound`. */
  seal(purpose: SealPurpose, text: string, bound: string): Promise<string>;
  /** The decrypted text; `undefined` if the token was changed, is bound to another string, or its key is not available. */
  open(purpose: SealPurpose, token: string, bound: string): Promise<string | undefined>;
  /** A short tag of a string under the current key. */
  mac(purpose: SealPurpose, text: string): Promise<string>;
  /** The same sealer, which waits for the secret until shortly before the invocation ends. */
  within(limit: InvocationLimit): Sealer;
}

/** The sealer of a server without a secret. Calling it is a bug in this package. */
export const noSealer: Sealer = {
  seal: () => Promise.reject(new FrameworkError('app.internal')),
  open: () => Promise.resolve(undefined),
  mac: () => Promise.reject(new FrameworkError('app.internal')),
  within: () => noSealer,
};

const VERSION = 'v1.';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const NOISE_BYTES = 16;

/** The keys of one purpose: one for the cipher, one for the nonces. */
interface Keys {
  readonly cipher: Buffer;
  readonly nonce: Buffer;
}

/** Maximum age of keys that a function returned. Then they are loaded again, so that a rotation reaches running instances. */
const MAX_AGE_MS = 600_000;
/**
 * Minimum age of the keys before a token that does not open causes a reload: the token may use a newer key.
 */
const MIN_AGE_MS = 30_000;

/** One reading of the secret, and the number of waiting requests. */
interface Reading {
  readonly keys: Promise<readonly Uint8Array[]>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * Resolves the secret at its first use. A function is called again if its keys are old, or if no key opens a token. After a
 * failure the present keys remain in use. Requests share a reading, which stops when no request waits any longer.
 *
 * @param server the name of the server: a token of one server does not open on another
 * @throws FrameworkError `mcp.secret_unavailable` (503) if there are no keys yet, and the secret was not read in time or its service is
 *   not available; the error of the secret's function
 */
export function createSealer(
  secret: McpSecret | McpSecretReader,
  server: string,
  now: () => number = Date.now,
): Sealer {
  let known: readonly Uint8Array[] | undefined;
  let reading: Reading | undefined;
  let readAt = 0;
  const derived = new Map<SealPurpose, readonly Keys[]>();
  const isOlder = (ms: number) => typeof secret === 'function' && now() - readAt >= ms;
  const read = (): Reading => {
    readAt = now();
    const stop = new AbortController();
    const current: Reading = { stop, waiting: 0, keys: resolveKeys(secret, stop.signal) };
    reading = current;
    current.keys.then(
      (keys) => {
        // A reading that was stopped may still end.
        if (reading !== current) return;
        reading = undefined;
        known = keys;
        derived.clear();
      },
      () => {
        if (reading === current) reading = undefined;
      },
    );
    return current;
  };
  const wait = async (current: Reading, limit: InvocationLimit | undefined): Promise<readonly Uint8Array[]> => {
    current.waiting += 1;
    try {
      return await (limit ? withinInvocation(limit, undefined, () => current.keys) : current.keys);
    } catch (error) {
      if (known) return known;
      if (!(error instanceof StoreTimeout) && !isTransient(error)) throw error;
      throw new FrameworkError('mcp.secret_unavailable', 'framework: mcp: the secret was not read in time', {
        statusCode: 503,
        cause: error,
      });
    } finally {
      current.waiting -= 1;
      if (current.waiting === 0 && reading === current) {
        reading = undefined;
        current.stop.abort();
      }
    }
  };
  const rootsFor = (limit: InvocationLimit | undefined) => {
    if (reading === undefined && known !== undefined && !isOlder(MAX_AGE_MS)) return known;
    return wait(reading ?? read(), limit);
  };
  const keysFor = async (purpose: SealPurpose, limit: InvocationLimit | undefined): Promise<readonly Keys[]> => {
    const roots = await rootsFor(limit);
    const keys = derived.get(purpose) ?? roots.map((root) => deriveKeys(root, server, purpose));
    derived.set(purpose, keys);
    return keys;
  };
  const openWith = (keys: readonly Keys[], sealed: Buffer, bound: string): string | undefined => {
    for (const { cipher } of keys) {
      const text = decrypt(cipher, sealed, bound);
      if (text !== undefined) return text;
    }
    return undefined;
  };
  const toSealer = (limit: InvocationLimit | undefined): Sealer => ({
    async seal(purpose, text, bound) {
      const [keys] = await keysFor(purpose, limit);
      return VERSION + encrypt(keys as Keys, text, bound);
    },
    async open(purpose, token, bound) {
      if (!token.startsWith(VERSION)) return undefined;
      const sealed = decodeStrict(token.slice(VERSION.length));
      if (sealed === undefined) return undefined;
      const text = openWith(await keysFor(purpose, limit), sealed, bound);
      if (text !== undefined || !isOlder(MIN_AGE_MS)) return text;
      await wait(reading ?? read(), limit);
      return openWith(await keysFor(purpose, limit), sealed, bound);
    },
    async mac(purpose, text) {
      const [keys] = await keysFor(purpose, limit);
      return macText((keys as Keys).cipher, text);
    },
    within: toSealer,
  });
  return toSealer(undefined);
}

async function resolveKeys(secret: McpSecret | McpSecretReader, signal: AbortSignal): Promise<readonly Uint8Array[]> {
  return parseSecret(typeof secret === 'function' ? await secret({ signal }) : secret);
}

/** RFC 5869 with the server and the purpose as its info. */
function deriveKeys(root: Uint8Array, server: string, purpose: SealPurpose): Keys {
  // The hash keeps the info within the 1,024 bytes that Node accepts, for a name of any length.
  const prefix = `sallyport/mcp/${sha256Url(server)}`;
  const derive = (name: string) => Buffer.from(nodeCrypto().hkdfSync('sha256', root, '', `${prefix}/${name}/v1`, 32));
  return { cipher: derive(purpose), nonce: derive(`${purpose}/nonce`) };
}

function encrypt({ cipher: key, nonce }: Keys, text: string, bound: string): string {
  const iv = syntheticNonce(nonce, text, bound);
  const cipher = nodeCrypto().createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(bound, 'utf8'));
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/**
 * The nonce of one seal: an HMAC over random bytes, the bound text and the text, cut to 96 bits.
 *
 * If GCM uses one nonce for two strings, it reveals both strings and the key of the tag (NIST SP 800-38D, appendix A). Random bytes
 * alone repeat when environments are restored from one snapshot. Therefore the nonce depends on the text, as in AES-GCM-SIV (RFC
 * 8452 section 1), and also on random bytes, as in section 3.6 of RFC 6979. Two seals have the same nonce in two cases only.
 * Either random bytes, bound text and text are all equal; then both are the same token. Or the HMAC collides, which is as likely
 * as for random nonces (section 8.3: at most 2^32 seals for each key). Because of the random bytes it is not visible that a string was
 * sealed twice.
 */
function syntheticNonce(key: Buffer, text: string, bound: string): Buffer {
  const noise = nodeCrypto().randomBytes(NOISE_BYTES);
  const hmac = nodeCrypto().createHmac('sha256', key);
  // The length marks the end of the bound text.
  hmac
    .update(noise)
    .update(`${Buffer.byteLength(bound, 'utf8')}:${bound}`, 'utf8')
    .update(text, 'utf8');
  return hmac.digest().subarray(0, IV_BYTES);
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

/** Accepts only the canonical spelling of each token: Node's decoder skips unknown characters. */
function decodeStrict(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
