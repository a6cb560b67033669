import type { Context, Next } from 'hono';

export const visits = new Map<string, number>();

export async function countVisit(c: Context, next: Next) {
  await next();
  const path = c.req.path;
  visits.set(path, (visits.get(path) ?? 0) + 1);
  c.header('X-Visits', String(visits.get(path)));
}

export const requireJson = async (c: Context, next: Next) => {
  if (!c.req.header('content-type')?.startsWith('application/json')) {
    return c.json({ error: 'send JSON' }, 415);
  }
  await next();
};
