import type { ClientOptions } from './options.js';

type Fetch = NonNullable<ClientOptions['fetch']>;

/** Options of {@link noticeContract}. */
export interface NoticeOptions {
  /** The digest of the contract that the client was built with. Default: that of the first answer. */
  readonly contract?: string;
  /** Sends the requests. Default: the platform's `fetch`. */
  readonly fetch?: Fetch;
}

/**
 * Creates the option `fetch` of a client that reads the header `x-contract` of answers, and calls `onStale` once when the service has
 * another contract: a page can then offer to load itself again.
 *
 * @param onStale receives the digest of the service
 * @example createClient<Notes>({ url, fetch: noticeContract(() => offerReload(), { contract }) });
 */
export function noticeContract(onStale: (digest: string) => void, options: NoticeOptions = {}): Fetch {
  const { fetch: send = (url, request) => fetch(url, request) } = options;
  let { contract } = options;
  let isTold = false;
  return async (url, request) => {
    const response = await send(url, request);
    const digest = response.headers.get('x-contract');
    if (digest) contract ??= digest;
    if (digest && digest !== contract && !isTold) {
      isTold = true;
      onStale(digest);
    }
    return response;
  };
}
