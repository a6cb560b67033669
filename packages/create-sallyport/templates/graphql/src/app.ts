import { Authenticated, SecureApp, type SecureOptions } from '@sallyport/secure';
import { book, renameBook } from './handlers/books.js';

/** Which fields of src/schema.graphql the service resolves, and who may ask for them. */
export function createService(options: SecureOptions): SecureApp {
  const app = new SecureApp(options);
  app.appSyncField('Query', 'book', book, Authenticated('books:read'));
  app.appSyncField('Mutation', 'renameBook', renameBook, Authenticated('books:write'));
  return app;
}
