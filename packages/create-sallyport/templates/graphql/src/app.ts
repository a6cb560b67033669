import { Authenticated, SecureApp, type SecureOptions } from '@sallyport/secure';
import { book, renameBook } from './handlers/books.js';

/** Creates the service: the resolved fields of src/schema.graphql with their postures. */
export function createService(options: SecureOptions): SecureApp {
  const app = new SecureApp(options);
  app.appSyncField('Query', 'book', book, Authenticated('books:read'));
  app.appSyncField('Mutation', 'renameBook', renameBook, Authenticated('books:write'));
  return app;
}
