import { resolver } from '@sallyport/appsync';
import { Authenticated, type SecureApp } from '@sallyport/secure';
import type { NoteStore } from './notes.js';
import { NoteInput, NoteParams, NoteView } from './schemas.js';

const AUTHORS: ReadonlyMap<unknown, string> = new Map([
  ['ada', 'Ada Lovelace'],
  ['alan', 'Alan Turing'],
]);

const canRead = Authenticated('notes:read');

/** Two fields that are resolved separately, and a third that is resolved in batches. */
export function registerGraphQL(app: SecureApp, notes: NoteStore): void {
  app.appSyncField(
    'Query',
    'note',
    resolver({ args: NoteParams, result: NoteView.nullish() }, (_ctx, { id }) => notes.get(id)),
    canRead,
  );
  app.appSyncField(
    'Mutation',
    'addNote',
    resolver({ args: NoteInput, result: NoteView }, (ctx, input) => notes.add(input, ctx.authIdentity)),
    Authenticated('notes:write'),
  );
  app.appSyncBatchField(
    'Note',
    'author',
    (items) => items.map(({ source }) => AUTHORS.get(source.authorId) ?? null),
    canRead,
  );
}
