import { missingPeer } from '../internal/missing-peer.js';
import { WebSha256 } from '../internal/web-sha256.js';
import type { ClientOptions } from '../options.js';

/** Credentials of AWS. */
export interface AwsKeys {
  /** The id of the access key. */
  readonly accessKeyId: string;
  /** The secret access key. */
  readonly secretAccessKey: string;
  /** The session token of temporary credentials. */
  readonly sessionToken?: string;
}

/** Options of {@link createSignedFetch}. */
export interface SignedFetchOptions {
  /** The region of the service, such as `eu-central-1`. */
  readonly region: string;
  /** `execute-api` for an API of API Gateway, `lambda` for a function URL. */
  readonly service: 'execute-api' | 'lambda';
  /** The credentials, or a function that returns valid ones for each request, such as `fromNodeProviderChain()`. */
  readonly credentials: AwsKeys | (() => Promise<AwsKeys>);
  /** The time in milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
}

/** AWS rejects a signature whose time differs by more than five minutes: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html */
const MAX_SKEW_MS = 300_000;

/**
 * Creates the option `fetch` of a client that signs each request with Signature Version 4: method, URL, headers and body. If AWS
 * rejects the time of a signature, the clock is set by the `date` of the answer and the request is signed again, once. A redirect is an
 * error, because its target has not been signed.
 *
 * Needs the peer `@smithy/signature-v4`.
 *
 * @example
 * const signedFetch = createSignedFetch({ region: 'eu-central-1', service: 'execute-api', credentials: fromNodeProviderChain() });
 * const prices = createClient<Prices>({ url, fetch: signedFetch });
 */
export function createSignedFetch(options: SignedFetchOptions): NonNullable<ClientOptions['fetch']> {
  const { region, service, credentials, now = Date.now } = options;
  let offsetMs = 0;

  return async (url, init) => {
    const smithy = await import('@smithy/signature-v4').catch(missingPeer('@smithy/signature-v4'));
    const signer = new smithy.SignatureV4({ region, service, credentials, sha256: WebSha256, applyChecksum: false });
    const { host, hostname, pathname, searchParams, protocol } = new URL(url);
    // Reads every kind of body, and sets the media type of forms.
    const request = new Request(url, init);
    const body = new Uint8Array(await request.arrayBuffer());
    const query: Record<string, string[]> = {};
    for (const [name, value] of searchParams) query[name] = [...(query[name] ?? []), value];
    const send = async () => {
      const at = now() + offsetMs;
      const headers = { ...Object.fromEntries(request.headers), host };
      const { headers: signed } = await signer.sign(
        { method: request.method, protocol, hostname, path: pathname, query, headers, body },
        { signingDate: new Date(at) },
      );
      // The platform sets the host.
      const { host: _host, ...sent } = signed;
      const response = await fetch(url, {
        ...init,
        headers: sent,
        body: body.length > 0 ? body : null,
        redirect: 'error',
      });
      const skewMs = Date.parse(response.headers.get('date') ?? '') - at;
      return { response, skewMs };
    };
    const first = await send();
    if (first.response.status !== 403 || !(Math.abs(first.skewMs) > MAX_SKEW_MS)) return first.response;
    offsetMs += first.skewMs;
    await first.response.body?.cancel();
    return (await send()).response;
  };
}
