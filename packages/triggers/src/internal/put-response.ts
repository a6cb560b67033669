import type { FullClock } from '@sallyport/core';
import { stringOf } from '@sallyport/core/internal';

/**
 * Virtual-hosted and path-style hosts of S3: https://docs.aws.amazon.com/general/latest/gr/s3.html. The list has the suffixes of all
 * partitions: commercial, China, the European sovereign cloud, and the isolated partitions, as in `partitions` of the AWS SDK.
 */
const S3_HOST =
  /^(?:[a-z0-9.-]+\.)?s3(?:[.-][a-z0-9-]+)?(?:\.[a-z0-9-]+)?\.(?:amazonaws\.(?:com|com\.cn|eu)|c2s\.ic\.gov|sc2s\.sgov\.gov|cloud\.adc-e\.uk|csp\.hci\.ic\.gov)$/;
const ATTEMPTS = 3;
const ATTEMPT_MS = 2_000;

/** Sends one request; the part of `fetch` that is used. */
export type ResponseFetch = (
  url: URL,
  init: {
    readonly method: 'PUT';
    /** Bytes. The type is taken from `RequestInit`, because older compilers do not support the parameter of `Uint8Array`. */
    readonly body: NonNullable<RequestInit['body']>;
    readonly headers: Readonly<Record<string, string>>;
    readonly redirect: 'manual';
    readonly signal: AbortSignal;
  },
) => Promise<{ readonly status: number }>;

/**
 * Sends the answer of a custom resource, and retries it after a failure of the network or of the service. Returns true if the answer
 * has arrived. No error contains the URL.
 *
 * @param hosts further hosts, `host:port`, which are reached over HTTP
 */
export async function putResponse(
  url: unknown,
  body: Uint8Array,
  hosts: readonly string[],
  send: ResponseFetch,
  clock: FullClock,
): Promise<boolean> {
  const target = parseUrl(stringOf(url));
  if (!target || !isAllowed(target, hosts)) return false;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const status = await put(target, body, send, clock);
    if (status >= 200 && status < 300) return true;
    if (status >= 400 && status < 500) return false;
  }
  return false;
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isAllowed(url: URL, hosts: readonly string[]): boolean {
  if (url.username !== '' || url.password !== '') return false;
  return (
    (url.protocol === 'https:' && S3_HOST.test(url.host)) || (url.protocol === 'http:' && hosts.includes(url.host))
  );
}

/** The status of one PUT; 0 without a response. The signature of the URL covers an empty content type. */
async function put(url: URL, body: Uint8Array, send: ResponseFetch, clock: FullClock): Promise<number> {
  const controller = new AbortController();
  const stop = clock.after(ATTEMPT_MS, () => controller.abort());
  try {
    const { status } = await send(url, {
      method: 'PUT',
      body: body as Uint8Array<ArrayBuffer>,
      headers: { 'content-type': '' },
      redirect: 'manual',
      signal: controller.signal,
    });
    return status;
  } catch {
    return 0;
  } finally {
    stop();
  }
}
