import type { ResponseInput } from '@sallyport/core';

const JSON_TYPE = 'application/json; charset=utf-8';
const NO_STORE = 'no-store';

/** How an answer of JSON may be kept, and on which request headers it depends. */
export interface AnswerOptions {
  /** HTTP status. Default 200. */
  readonly status?: number;
  /** Seconds for which anybody may keep the answer. Default: nobody may. */
  readonly maxAgeSeconds?: number | undefined;
  /** True if the answer is for one client: a token, credentials, or why there are none. Default `false`. */
  readonly secret?: boolean;
  /** Names of the request headers that were read to make the answer. Default none. */
  readonly vary?: readonly string[];
  /** The challenge of a 401. Default none. */
  readonly challenge?: string;
}

/** An answer whose body is this JSON text. */
export function jsonAnswer(
  body: string,
  { status = 200, maxAgeSeconds, secret = false, vary = [], challenge }: AnswerOptions = {},
): ResponseInput {
  return {
    status,
    headers: {
      'content-type': JSON_TYPE,
      'cache-control': maxAgeSeconds === undefined ? NO_STORE : `public, max-age=${maxAgeSeconds}`,
      // For caches of HTTP/1.0 (RFC 6749 section 5.1).
      ...(secret && { pragma: 'no-cache' }),
      ...(vary.length > 0 && { vary: vary.join(', ') }),
      ...(challenge !== undefined && { 'www-authenticate': challenge }),
    },
    body,
  };
}
