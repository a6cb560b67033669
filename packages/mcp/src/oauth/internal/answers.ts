import type { ResponseInput } from '@sallyport/core';

const JSON_TYPE = 'application/json; charset=utf-8';
const NO_STORE = 'no-store';

/** How an answer of JSON may be kept, and on which request headers it depends. */
export interface AnswerOptions {
  /** HTTP status. Default 200. */
  readonly status?: number;
  /** Seconds for which anybody may keep the answer. Default: nobody may. */
  readonly maxAgeSeconds?: number | undefined;
  /** Names of the request headers that were read to make the answer. Default none. */
  readonly vary?: readonly string[];
}

/** An answer whose body is this JSON text. */
export function jsonAnswer(
  body: string,
  { status = 200, maxAgeSeconds, vary = [] }: AnswerOptions = {},
): ResponseInput {
  return {
    status,
    headers: {
      'content-type': JSON_TYPE,
      'cache-control': maxAgeSeconds === undefined ? NO_STORE : `public, max-age=${maxAgeSeconds}`,
      ...(vary.length > 0 && { vary: vary.join(', ') }),
    },
    body,
  };
}
