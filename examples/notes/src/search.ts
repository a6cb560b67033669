import { isDeepStrictEqual } from 'node:util';
import { bind } from '@sallyport/http';
import { Authenticated, type SecureApp } from '@sallyport/secure';
import type { SemanticIndex } from '@sallyport/vectors';
import * as z from 'zod';
import type { Note, NoteStore } from './notes.js';
import { NoteView } from './schemas.js';

const SearchQuery = z.object({
  q: z.string().trim().min(1).max(1000),
  author: z.string().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(20).default(5),
});

const Hits = z.object({ notes: z.array(z.object({ note: NoteView.optional(), distance: z.number().optional() })) });

/** The maximum number of notes in the index; a service with more notes would update it from the stream of its table. */
const MAX_NOTES = 10_000;

/** `GET /search?q=…`: the notes with the most similar meaning, the most similar first. */
export function registerSearch(app: SecureApp, notes: NoteStore, index: SemanticIndex): void {
  const indexed = new Map<string, Note>();
  app.get(
    '/search',
    bind({ query: SearchQuery, response: Hits }, async (ctx, { query: { q, author, limit } }) => {
      const options = { signal: ctx.signal };
      await catchUp(notes, index, indexed, options);
      const filter = author === undefined ? {} : { filter: { author } };
      const hits = await index.queryText({ text: q, topK: limit, ...filter }, options);
      const found = hits.map(async ({ key, distance }) => ({ note: await notes.get(key), distance }));
      return { notes: await Promise.all(found) };
    }),
    Authenticated('notes:read'),
  );
}

/** Embeds notes that were added or changed since the last search, and deletes removed ones from the index. */
async function catchUp(
  notes: NoteStore,
  index: SemanticIndex,
  indexed: Map<string, Note>,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  const present = await notes.list(MAX_NOTES);
  const ids = new Set(present.map(({ id }) => id));
  const changed = present.filter((note) => !isDeepStrictEqual(indexed.get(note.id), note));
  const removed = [...indexed.keys()].filter((id) => !ids.has(id));
  if (changed.length > 0) {
    const records = changed.map(({ id, title, text, authorId }) => ({
      key: id,
      text: `${title}\n${text}`,
      metadata: { author: authorId },
    }));
    await index.putText(records, options);
  }
  if (removed.length > 0) await index.deleteText(removed, options);
  for (const note of changed) indexed.set(note.id, note);
  for (const id of removed) indexed.delete(id);
}
