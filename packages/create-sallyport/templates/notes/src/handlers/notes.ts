import { type Context, FrameworkError } from '@sallyport/core';
import { bind, json } from '@sallyport/http';
import * as z from 'zod';

interface Note {
  readonly id: string;
  readonly text: string;
}

/** In memory for now: each instance of the function has separate notes. */
const notes = new Map<string, Note>([['1', { id: '1', text: 'the first note' }]]);

export const health = () => json(200, { ok: true });

export const getNote = (ctx: Context<'id'>) => {
  const note = notes.get(ctx.param('id'));
  if (!note) throw new FrameworkError('app.not_found', 'no such note');
  return json(200, note);
};

export const putNote = bind({ body: z.object({ text: z.string().min(1).max(10_000) }) }, (ctx, { body }) => {
  const note = { id: ctx.param('id'), text: body.text };
  notes.set(note.id, note);
  return json(200, note);
});
