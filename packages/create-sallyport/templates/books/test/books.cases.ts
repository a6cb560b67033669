import { buildAppSyncEvent } from '@sallyport/testkit';

const user = (...scopes: string[]) => ({
  sub: 'ada',
  issuer: 'https://issuer.example',
  claims: { scope: scopes.join(' ') },
});

/** A query of a user with these scopes, as AppSync sends it after it has checked the token. */
export const queryBook = (id: string, ...scopes: string[]) =>
  buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'book', arguments: { id }, identity: user(...scopes) });

/** A mutation of such a user. */
export const renameBook = (title: string, ...scopes: string[]) =>
  buildAppSyncEvent({
    parentTypeName: 'Mutation',
    fieldName: 'renameBook',
    arguments: { id: '1', title },
    identity: user(...scopes),
  });

/** Events, and the bundle's expected responses without configuration. */
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
