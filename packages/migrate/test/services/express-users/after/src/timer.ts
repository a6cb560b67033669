import type { Context, Next, ResponseInput } from '@sallyport/core';

export async function requestTimer(ctx: Context, next: Next) {
  const headers: Record<string, string> = {};
  headers['x-served-by'] = 'users';
  return withHeaders(await next(ctx), headers);
}

/** The answer with further headers. */
function withHeaders(answer: ResponseInput, headers: Record<string, string>): ResponseInput {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
