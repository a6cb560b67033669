import { json } from '@sallyport/http';
import { Authenticated, SecureApp, type SecureOptions } from '@sallyport/secure';
import { payload } from '@sallyport/streams';
import { z } from 'zod';
import type { NotesContract } from './notes-contract.js';

/** The compiler compares the schema with the contract: a member that the other service removes is an error here. */
const NoteAdded = z.object({ title: z.string(), authorId: z.string() }) satisfies z.ZodType<
  unknown,
  Partial<NotesContract['bus']['notes/NoteAdded']>
>;

/** Collects the titles of new notes by their author. */
export function createDigest(options: SecureOptions = {}): SecureApp {
  const titles = new Map<string, string[]>();
  const app = new SecureApp(options);
  app.eventBus(
    { source: 'notes', detailType: 'NoteAdded' },
    payload(NoteAdded, (_ctx, { authorId, title }) => {
      titles.set(authorId, [...(titles.get(authorId) ?? []), title]);
    }),
  );
  app.get('/digests/{author}', (ctx) => json(200, { titles: titles.get(ctx.param('author')) ?? [] }), Authenticated());
  return app;
}
