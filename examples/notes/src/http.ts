import { type Context, FrameworkError } from '@sallyport/core';
import type { App } from '@sallyport/dispatch/app';
import { binary, created, json, noContent, text } from '@sallyport/http';
import type { Note, NoteInput, NoteStore } from './notes.js';

const ANONYMOUS = 'anonymous';
const MAX_PAGE = 100;

/** The ten HTTP routes. */
export function registerHttp(app: App, notes: NoteStore): void {
  app.get('/health', () => json(200, { ok: true }));
  app.get('/notes', (ctx) => json(200, { notes: notes.list(pageSize(ctx)) }));
  app.post('/notes', (ctx) => {
    const note = notes.add(noteInput(ctx), ANONYMOUS);
    return created(note, `/notes/${note.id}`);
  });
  app.get('/notes/{id}', (ctx) => json(200, found(notes, ctx)));
  app.put('/notes/{id}', (ctx) => json(200, notes.put(ctx.param('id'), noteInput(ctx), ANONYMOUS)));
  app.patch('/notes/{id}', (ctx) => {
    const note = found(notes, ctx);
    return json(200, notes.put(note.id, { ...note, ...partialInput(ctx) }, note.authorId));
  });
  app.delete('/notes/{id}', (ctx) => {
    if (!notes.remove(ctx.param('id'))) throw new FrameworkError('app.not_found', 'no such note');
    return noContent();
  });
  app.put('/notes/{id}/attachments/{name}', (ctx) => {
    const note = found(notes, ctx);
    notes.attach(note.id, ctx.param('name'), ctx.request.body);
    return json(201, { bytes: ctx.request.body.byteLength });
  });
  app.get('/notes/{id}/attachments/{name}', (ctx) => {
    const bytes = notes.attachment(ctx.param('id'), ctx.param('name'));
    if (!bytes) throw new FrameworkError('app.not_found', 'no such attachment');
    return binary(200, bytes, 'image/png');
  });
  app.post('/sessions', (ctx) => {
    const { name } = record(ctx.bodyJson());
    const answer = text(200, `welcome, ${String(name)}`);
    answer.cookies.push(
      'session=s-1; Path=/; HttpOnly; Secure; Expires=Sun, 22 Nov 2026 09:00:00 GMT',
      'theme=dark; Path=/',
    );
    return answer;
  });
}

function pageSize(ctx: Context): number {
  const limit = Number(ctx.query('limit') || MAX_PAGE);
  if (!Number.isInteger(limit) || limit < 1)
    throw new FrameworkError('app.bad_request', 'limit must be a whole number');
  return Math.min(limit, MAX_PAGE);
}

function found(notes: NoteStore, ctx: Context): Note {
  const note = notes.get(ctx.param('id'));
  if (!note) throw new FrameworkError('app.not_found', 'no such note');
  return note;
}

function noteInput(ctx: Context): NoteInput {
  const { title, text: body } = partialInput(ctx);
  if (title === undefined || body === undefined) throw new FrameworkError('app.validation_failed');
  return { title, text: body };
}

function partialInput(ctx: Context): Partial<NoteInput> {
  const body = record(ctx.bodyJson());
  return {
    ...(typeof body.title === 'string' ? { title: body.title } : {}),
    ...(typeof body.text === 'string' ? { text: body.text } : {}),
  };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null)
    throw new FrameworkError('app.bad_request', 'a JSON object is wanted');
  return value as Record<string, unknown>;
}
