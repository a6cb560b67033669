import type { ResponseInput } from '@sallyport/core';

const JSON_TYPE = 'application/json; charset=utf-8';
const NO_STORE = 'no-store';

/** Status, caching and challenge of a JSON answer. */
export interface AnswerOptions {
  /** HTTP status. Default 200. */
  readonly status?: number;
  /** Seconds for which caches may keep the answer. Default: they must not. */
  readonly maxAgeSeconds?: number | undefined;
  /** True if the answer is for one client: a token, credentials, or the error in their place. Default `false`. */
  readonly secret?: boolean;
  /** Names of the request headers that the answer depends on. Default none. */
  readonly vary?: readonly string[];
  /** The challenge of a 401. Default none. */
  readonly challenge?: string;
}

/** An answer with this JSON body. */
export function jsonAnswer(
  body: string,
  { status = 200, maxAgeSeconds, secret = false, vary = [], challenge }: AnswerOptions = {},
): ResponseInput {
  return {
    status,
    headers: {
      'content-type': JSON_TYPE,
      'cache-control': maxAgeSeconds === undefined ? NO_STORE : `public, max-age=${maxAgeSeconds}`,
      // For HTTP/1.0 caches (RFC 6749 section 5.1).
      ...(secret && { pragma: 'no-cache' }),
      ...(vary.length > 0 && { vary: vary.join(', ') }),
      ...(challenge !== undefined && { 'www-authenticate': challenge }),
    },
    body,
  };
}
