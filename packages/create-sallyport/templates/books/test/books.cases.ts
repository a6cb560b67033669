import { buildAppSyncEvent } from '@sallyport/testkit';

const user = (...scopes: string[]) => ({
  sub: 'ada',
  issuer: 'https://issuer.example',
  claims: { scope: scopes.join(' ') },
});

/** A field that a user with these scopes asks for, as AppSync sends it once it has checked the token. */
export const queryBook = (id: string, ...scopes: string[]) =>
  buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'book', arguments: { id }, identity: user(...scopes) });

/** The same for the mutation. */
export const renameBook = (title: string, ...scopes: string[]) =>
  buildAppSyncEvent({
    parentTypeName: 'Mutation',
    fieldName: 'renameBook',
    arguments: { id: '1', title },
    identity: user(...scopes),
  });

/** Events, and what the bundle has to answer without any configuration. */
export const BOOKS = [
  {
    name: 'no field for a caller without a name',
    event: buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'book', arguments: { id: '1' } }),
    answer: { framework_error: true, error_info: { code: 'app.unauthorized' } },
  },
  {
    name: 'no field before an issuer is configured',
    event: queryBook('1', 'books:read'),
    answer: { framework_error: true, error_info: { code: 'app.unauthorized' } },
  },
];
