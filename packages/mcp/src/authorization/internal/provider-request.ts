import { isObject, type Members } from '@sallyport/core/internal';
import type { ProviderFetch } from '../options.js';
import { ProviderFailure } from './provider-error.js';

/** A JSON response of the identity provider. */
export interface ProviderAnswer {
  readonly status: number;
  readonly members: Members;
}

/** Limits of one request. */
export interface RequestLimits {
  readonly fetch: ProviderFetch;
  readonly timeoutMs: number;
}

/** The same `fetch` with the time limit, for the signing keys. */
export function withTimeLimit({ fetch, timeoutMs }: RequestLimits): ProviderFetch {
  return (url, init) => {
    const signals = [AbortSignal.timeout(timeoutMs), ...(init.signal ? [init.signal] : [])];
    return fetch(url, { ...init, signal: AbortSignal.any(signals) });
  };
}

const MAX_BYTES = 262_144;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/**
 * Sends one request and reads its JSON object. Redirects are not followed, and the time limit includes the body.
 *
 * @throws ProviderFailure
 */
export async function requestProvider(
  url: string,
  init: RequestInit,
  { fetch, timeoutMs }: RequestLimits,
): Promise<ProviderAnswer> {
  const signal = AbortSignal.timeout(timeoutMs);
  // A `fetch` of the application may ignore the signal.
  const timeout = new Promise<never>((_, reject) => {
    const fail = () => reject(new ProviderFailure('timeout', `no response within ${timeoutMs} ms`));
    signal.addEventListener('abort', fail, { once: true });
  });
  const answer = async () => read(await fetch(url, { ...init, redirect: 'manual', signal }));
  try {
    return await Promise.race([answer(), timeout]);
  } catch (cause) {
    if (cause instanceof ProviderFailure) throw cause;
    if (signal.aborted) throw new ProviderFailure('timeout', `no response within ${timeoutMs} ms`, { cause });
    throw new ProviderFailure('unreachable', 'no connection', { cause });
  }
}

async function read(response: Response): Promise<ProviderAnswer> {
  const { status } = response;
  if (status >= 500 || (status >= 300 && status < 400) || status === 429) {
    await response.body?.cancel();
    throw new ProviderFailure('status', `status ${status}`);
  }
  if (!JSON_TYPE.test(response.headers.get('content-type') ?? '')) {
    await response.body?.cancel();
    throw new ProviderFailure('not_json', `status ${status} without JSON`);
  }
  const text = await readText(response);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProviderFailure('not_json', 'malformed JSON');
  }
  if (!isObject(value)) throw new ProviderFailure('not_json', 'JSON that is not an object');
  return { status, members: value as Members };
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new ProviderFailure('too_large', `a response over ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
