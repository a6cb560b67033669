import { FrameworkError } from '@sallyport/core';
import { bind, created, json, noContent, setCookie } from '@sallyport/http';
import { Authenticated, Public, type SecureApp } from '@sallyport/secure';
import type { Note, NoteStore } from './notes.js';
import {
  Greeted,
  Greeting,
  Health,
  NoteChange,
  NoteInput,
  NoteList,
  NoteParams,
  NoteView,
  PageQuery,
} from './schemas.js';

const canRead = Authenticated('notes:read');
const canWrite = Authenticated('notes:write');

const NOT_FOUND = { 404: 'app.not_found' } as const;

/** Notifies other services of a new note. */
export type Announce = (note: Note) => Promise<unknown>;

/** The HTTP routes, except for attachments. */
export function registerHttp(app: SecureApp, notes: NoteStore, announce?: Announce): void {
  app.get(
    '/health',
    bind({ response: Health }, () => ({ ok: true })),
    Public(),
  );
  app.get(
    '/notes',
    bind({ query: PageQuery, response: NoteList }, async (_ctx, { query }) => ({
      notes: await notes.list(query.limit),
    })),
    canRead,
  );
  app.post(
    '/notes',
    bind({ body: NoteInput, response: NoteView, status: 201 }, async (ctx, { body }) => {
      const note = await ctx.span('store the note', () => notes.add(body, ctx.authIdentity));
      await announce?.(note);
      return created(note, `/notes/${note.id}`);
    }),
    canWrite,
  );
  app.get(
    '/notes/{id}',
    bind({ params: NoteParams, response: NoteView, errors: NOT_FOUND }, (_ctx, { params }) => found(notes, params.id)),
    canRead,
  );
  app.put(
    '/notes/{id}',
    bind({ params: NoteParams, body: NoteInput, response: NoteView }, (ctx, { params, body }) =>
      notes.put(params.id, body, ctx.authIdentity),
    ),
    canWrite,
  );
  app.patch(
    '/notes/{id}',
    bind(
      { params: NoteParams, body: NoteChange, response: NoteView, errors: NOT_FOUND },
      async (_ctx, { params, body }) => {
        const note = await found(notes, params.id);
        return notes.put(note.id, { title: body.title ?? note.title, text: body.text ?? note.text }, note.authorId);
      },
    ),
    canWrite,
  );
  app.delete(
    '/notes/{id}',
    bind({ params: NoteParams, status: 204, errors: NOT_FOUND }, async (_ctx, { params }) => {
      if (!(await notes.remove(params.id))) throw new FrameworkError('app.not_found', 'no such note');
      return noContent();
    }),
    canWrite,
  );
  app.post(
    '/greetings',
    bind({ body: Greeting, response: Greeted }, (_ctx, { body }) => greet(body.name)),
    Authenticated(),
  );
}

async function found(notes: NoteStore, id: string): Promise<Note> {
  const note = await notes.get(id);
  if (!note) throw new FrameworkError('app.not_found', 'no such note');
  return note;
}

/** Stores a greeting in cookies. They identify no caller: only the token does. */
function greet(name: string) {
  const answer = json(200, { greeting: `welcome, ${name}` });
  const remembered = setCookie(answer, 'greeted', 'yes', { maxAge: 86_400 });
  return setCookie(remembered, 'theme', 'dark', { httpOnly: false });
}
