import { ClientError } from './errors.js';

/** A grant for one upload, as `createUploadGrants` of `@sallyport/objectstore` makes it. */
export interface UploadTarget {
  /** The method of the request. */
  readonly method: string;
  /** The signed link. */
  readonly url: string;
  /** The headers that were signed. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Options of {@link upload}. */
export interface UploadOptions {
  /** Ends the upload. */
  readonly signal?: AbortSignal;
  /** Milliseconds for the upload. Default: no limit. */
  readonly timeoutMs?: number;
  /** Called with the bytes that were sent. In Node.js and workers without `XMLHttpRequest`, it is called once, at the end. */
  readonly onProgress?: (sentBytes: number, totalBytes: number) => void;
}

/** Headers that the platform sets, and that code in a browser cannot. */
const SET_BY_PLATFORM = /^(?:content-length|host)$/i;

/**
 * Sends bytes to the target of a grant.
 *
 * @throws ClientError `client.foreign` with the status of the store if it rejects the upload; `client.network`, `client.timeout`,
 *   `client.aborted`
 * @example await upload(grant, file, { onProgress: (sent, total) => show(sent / total) });
 */
export async function upload(target: UploadTarget, body: Blob, options: UploadOptions = {}): Promise<void> {
  const { signal: caller, timeoutMs, onProgress } = options;
  const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const signals = [caller, limit].filter((signal) => signal !== undefined);
  const headers = Object.entries(target.headers).filter(([name]) => !SET_BY_PLATFORM.test(name));
  const { XMLHttpRequest } = globalThis as { readonly XMLHttpRequest?: new () => ProgressRequest };
  const send = onProgress && XMLHttpRequest ? sendWithProgress(XMLHttpRequest) : sendWithFetch;
  let status: number;
  try {
    status = await send(target, headers, body, AbortSignal.any(signals), onProgress);
  } catch (cause) {
    const code = caller?.aborted ? 'client.aborted' : limit?.aborted ? 'client.timeout' : 'client.network';
    throw new ClientError(code, 'the upload failed', { cause });
  }
  if (status >= 300)
    throw new ClientError('client.foreign', `the store rejected the upload with ${status}`, { status });
}

type Send = (
  target: UploadTarget,
  headers: [string, string][],
  body: Blob,
  signal: AbortSignal,
  onProgress: UploadOptions['onProgress'],
) => Promise<number>;

const sendWithFetch: Send = async ({ url, method }, headers, body, signal, onProgress) => {
  const response = await fetch(url, { method, headers, body, signal });
  await response.body?.cancel();
  if (response.ok) onProgress?.(body.size, body.size);
  return response.status;
};

/** The part of `XMLHttpRequest` that is used; only programs for browsers have its type. */
interface ProgressRequest {
  readonly upload: { onprogress: ((event: { readonly loaded: number }) => void) | null };
  readonly status: number;
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: Blob): void;
  abort(): void;
}

/** `fetch` does not report how much it sent. */
const sendWithProgress =
  (create: new () => ProgressRequest): Send =>
  ({ url, method }, headers, body, signal, onProgress) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const request = new create();
      request.open(method, url);
      for (const [name, value] of headers) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded }) => onProgress?.(loaded, body.size);
      request.onload = () => resolve(request.status);
      request.onerror = request.onabort = () => reject(new TypeError('the connection failed'));
      signal.addEventListener('abort', () => request.abort(), { once: true });
      request.send(body);
    });
