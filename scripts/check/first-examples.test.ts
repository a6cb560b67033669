import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './command.js';
import { plainIdentities } from './first-examples.js';
import { codeBlocks } from './readme-blocks.js';
import { readWorkspace } from './workspace.js';

const faultsOf = (code: string) => plainIdentities({ file: 'README.md', line: 1, code });

it.each([
  ['a key', `await index.putText([{ key: ctx.param('id'), text }]);`],
  ['a key of a name', `const id = ctx.param('id');\nawait index.putText([{ key: id, text }]);`],
  ['a key of a member', `const { id } = ctx.bodyJson<{ id: string }>();\nawait store.put({ key: \`notes/\${id}\` });`],
  ['a key of a message', `const { id } = JSON.parse(message.body);\nawait index.putText([{ key: id, text }]);`],
  ['a shorthand', `const key = ctx.param('id');\nawait store.put({ key, text });`],
  ['a reference', `await store.get({ ref: ref(ctx.param('id')), maxBytes: 1 });`],
  [
    'a reference of a function',
    `const refOf = (id: string) => ({ bucket: 'b', key: id });\nawait store.get({ ref: refOf(ctx.param('id')) });`,
  ],
  ['the argument of a store', `await store.delete(ctx.param('id'));`],
  ['a tenant of a message', `const { tenant } = JSON.parse(message.body);\nconst index = make({ tenant });`],
  ['a tenant of a header', `const records = [{ key: 'a', metadata: { tenant: ctx.header('x-tenant') } }];`],
])('finds %s that only input names', (_, code) => {
  expect(faultsOf(code)).toHaveLength(1);
});

it.each([
  ['a key with the tenant', `await store.put({ key: ctx.tenantId + '#' + ctx.param('id') });`],
  ['a reference with the caller', `await store.get({ ref: refOf(ctx, ctx.param('id')), owner: ctx.authIdentity });`],
  ['a store of the tenant', `await createIndex({ store, tenant: ctx.tenantId }).putText([{ key: ctx.param('id') }]);`],
  [
    'a store of a name',
    `const index = create({ tenant: ctx.tenantId });\nawait index.putText([{ key: ctx.param('id') }]);`,
  ],
  [
    'a function that proves',
    `const indexOf = (ctx) => create({ tenant: ctx.tenantId });\nawait indexOf(ctx).put({ key: ctx.param('id') });`,
  ],
  ['a map of the example', `const notes = new Map();\nnotes.get(ctx.param('id'));`],
  ['input that names nothing', `return json(200, { id: ctx.param('id') });`],
  ['a constant key', `await store.put({ key: 'settings', text: ctx.bodyText() });`],
  ['a route', `app.get('/notes/{id}', (ctx) => json(200, { id: ctx.param('id') }));`],
])('accepts %s', (_, code) => {
  expect(faultsOf(code)).toEqual([]);
});

it('the first example of every README and page is safe to copy', () => {
  const readmes = readWorkspace(ROOT, ['packages']).map(({ folder }) => join(folder, 'README.md'));
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const files = [...readmes, ...pages.map((name) => join('docs', name))];
  const first = files.flatMap((file) => codeBlocks(file, readFileSync(join(ROOT, file), 'utf8')).slice(0, 1));
  expect(first.length).toBeGreaterThan(40);
  expect(first.flatMap(plainIdentities)).toEqual([]);
});
