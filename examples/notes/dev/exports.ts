import { createS3ObjectStore } from '@sallyport/objectstore';
import { createExports } from '../src/exports.js';
import { MemoryNotes } from '../src/notes.js';

const notes = new MemoryNotes();
for (let number = 1; number <= 60; number += 1)
  notes.add({ title: `Note ${number}`, text: 'a note of the demo' }, 'ada');

const app = createExports({
  notes,
  files: { bucket: 'notes-attachments', store: createS3ObjectStore() },
  // Under `sallyport dev` a form of the console answers: the id is not needed, and is in no log.
  ask: () => {},
});

export const handler = app.handleLambda;
