import type { ResponseInput } from '@sallyport/core';
import { json } from '@sallyport/http';

export function respond(statusCode: number, value: unknown): ResponseInput {
  return withHeaders(json(statusCode, value), { 'cache-control': 'no-store' });
}

/** The answer with further headers. */
function withHeaders(answer: ResponseInput, headers: Record<string, string>): ResponseInput {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
