import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';

/** The application as it was before its routes began to move. */
export const old = new Hono();

old.get('/notes/:id/history', (c) => c.json([{ id: c.req.param('id'), at: 0 }]));

export const handler = handle(old);
