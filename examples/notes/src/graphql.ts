import { resolver } from '@sallyport/appsync';
import type { App } from '@sallyport/dispatch/app';
import type { NoteStore } from './notes.js';

const AUTHORS: ReadonlyMap<unknown, string> = new Map([
  ['ada', 'Ada Lovelace'],
  ['alan', 'Alan Turing'],
]);

/** Two fields of their own, and one whose batch is answered at once. */
export function registerGraphQL(app: App, notes: NoteStore): void {
  app.appSyncField(
    'Query',
    'note',
    resolver<{ id: string }>((_ctx, { id }) => notes.get(id)),
  );
  app.appSyncField(
    'Mutation',
    'addNote',
    resolver<{ title: string; text: string }>((_ctx, input) => notes.add(input, 'ada')),
  );
  app.appSyncBatchField('Note', 'author', (items) => items.map(({ source }) => AUTHORS.get(source.authorId) ?? null));
}
