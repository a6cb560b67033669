import { type App, type AppOptions, createApp } from '@sallyport/dispatch/app';
import { createJournal, type Journal, registerEvents } from './events.js';
import { registerGraphQL } from './graphql.js';
import { registerHttp } from './http.js';
import { NoteStore } from './notes.js';
import { registerSockets } from './sockets.js';

export interface NotesService {
  readonly app: App;
  readonly notes: NoteStore;
  readonly journal: Journal;
}

/** Composes the whole service; tests hand in their own clock, ids and environment. */
export function createNotesService(options: AppOptions = {}): NotesService {
  const notes = new NoteStore();
  const journal = createJournal();
  const app = createApp(options);
  notes.add({ title: 'Milk', text: 'one litre' }, 'ada');
  registerHttp(app, notes);
  registerSockets(app);
  registerGraphQL(app, notes);
  registerEvents(app, notes, journal);
  return { app, notes, journal };
}
