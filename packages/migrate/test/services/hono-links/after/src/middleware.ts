import type { Context, Next } from '@sallyport/core';
import { json } from '@sallyport/http';

export const visits = new Map<string, number>();

export async function countVisit(ctx: Context, next: Next) {
  const answer = await next(ctx);
  const path = ctx.request.path;
  visits.set(path, (visits.get(path) ?? 0) + 1);
  answer.headers['x-visits'] = [String(visits.get(path))];
  return answer;
}

export const requireJson = async (ctx: Context, next: Next) => {
  if (!ctx.header('content-type')?.startsWith('application/json')) {
    return json(415, { error: 'send JSON' });
  }
  return next(ctx);
};
