import { buildAppSyncEvent, createTestEnv } from '@sallyport/testkit';
import { expect, it } from 'vitest';
import { createService } from '../src/app.js';
import { createPrincipalResolver } from '../src/principal.js';
import { queryBook, renameBook } from './books.cases.js';

const env = createTestEnv();
const principalResolver = createPrincipalResolver({ JWT_ISSUER: 'https://issuer.example', JWT_AUDIENCE: 'books' });
const app = createService({ ...env.options(), principalResolver });

it('resolves a field', async () => {
  expect(await env.invoke(app, queryBook('1', 'books:read'))).toEqual({ id: '1', title: 'The first book' });
});

it('renames a book', async () => {
  expect(await env.invoke(app, renameBook('Another', 'books:write'))).toEqual({ id: '1', title: 'Another' });
});

// The resolver function in infra/graphql.ts turns this object into a GraphQL error.
it.each([
  ['what is not there', queryBook('9', 'books:read'), 'app.not_found'],
  ['an empty title', renameBook('', 'books:write'), 'app.validation_failed'],
  ['a caller who may only read', renameBook('Another', 'books:read'), 'app.forbidden'],
  [
    'a caller with an API key',
    buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'book', arguments: { id: '1' } }),
    'app.unauthorized',
  ],
])('answers the error object for %s', async (_name, event, code) => {
  expect(await env.invoke(app, event)).toMatchObject({ framework_error: true, error_info: { code } });
});
