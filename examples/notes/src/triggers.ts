import { directInvoke, s3Trigger } from '@sallyport/triggers';
import * as z from 'zod';
import type { Journal } from './events.js';
import type { NoteStore } from './notes.js';

const Import = z.object({
  authorId: z.string().min(1),
  notes: z.array(z.object({ title: z.string(), text: z.string() })).max(100),
});

/** Triggers outside the fixed table: objects of the bucket of attachments, and calls by name from other functions. */
export function createTriggers(notes: NoteStore, journal: Journal) {
  const uploads = s3Trigger().bucket(
    'uploads',
    (_ctx, object) => void journal.uploads.push(`${object.event} ${object.key}`),
  );
  const operations = directInvoke().invoke(
    'import-notes',
    Import,
    async (_ctx, input) => {
      const added: string[] = [];
      for (const note of input.notes) added.push((await notes.add(note, input.authorId)).id);
      return { added };
    },
    { output: z.object({ added: z.array(z.string()) }) },
  );
  return [uploads, operations];
}
