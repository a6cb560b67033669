import { findForeignTexts } from './tree-rules.js';

const find = (text: string, file = 'a.ts') => findForeignTexts(file, text, ['/srv/build/copy', '/root']);

// Built here, so that this file does not contain the key.
const KEY = `AKIA${'ABCD'.repeat(4)}`;
const MARK = (word: string) => `-----${word} PRIVATE KEY-----`;

it.each([
  ['the working copy', "const a = '/srv/build/copy/x'", 'machine path'],
  ['a home directory', `see /${'home'}/ada/notes`, 'machine path'],
  ['a home directory of macOS', `see /${'Users'}/ada/notes`, 'machine path'],
  ['a registry', `https://${'registry'}.npmjs.org/left-pad`, 'registry address'],
  ['a private registry', `http://npm-${'registry'}.corp:8080/`, 'registry address'],
  ['a registry credential', `//r.example/:${'_auth'}Token=abc`, 'registry credential'],
  ['an access key', `key ${KEY}`, 'access key'],
  ['a private key', `${MARK('BEGIN')}\nMIIEvQIBADANBgkqhkiG9w0B`, 'private key'],
  ['a private key in a string', `'${MARK('BEGIN')}\\nMIIEvQIBADANBgkqhkiG9w0B'`, 'private key'],
  ['a token', `ghp_${'a1'.repeat(18)}`, 'token'],
])('finds %s', (_name, text, rule) => {
  expect(find(`first\n${text}\n`)).toEqual([`a.ts:2: ${rule}`]);
});

it.each([
  ['a route', "app.get('/users/home/{id}')"],
  ['an upper-case word', 'AKIAIOSFODNN7EXAMPLE'],
  ['a one-part home directory', '/root is where it starts'],
  ['a key without content', MARK('BEGIN')],
  ['a registry class', 'new RouteRegistry()'],
])('lets %s pass', (_name, text) => {
  expect(find(text)).toEqual([]);
});

it('finds an archive address in the lock file alone', () => {
  const text = `resolution: {${'tarball'}: x}`;
  expect(find(text, 'pnpm-lock.yaml')).toEqual(['pnpm-lock.yaml:1: archive address']);
  expect(find(text)).toEqual([]);
});
