import { readFileSync } from 'node:fs';
import { Rig } from './support/rig.js';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** A section, up to the next heading of its level. */
const section = (heading: string) => README.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

it('the README lists every member of the context', async () => {
  let members: readonly string[] = [];
  const rig = new Rig({
    register: (server) =>
      server.tool('t', { asks: ['elicitation', 'sampling', 'roots'] }, (_, ctx) => {
        members = Object.getOwnPropertyNames(Object.getPrototypeOf(ctx)).filter(
          (name) => name !== 'constructor' && name !== 'askAll',
        );
        return 'x';
      }),
  });
  await rig.stateless('tools/call', { name: 't' });
  const table = section('The context');
  expect(members.length).toBeGreaterThan(20);
  expect(members.filter((name) => !new RegExp(`\\| .*\`ctx\\.${name}\\b`).test(table))).toEqual([]);
});

it.each([
  "type: 'text'",
  "type: 'image'",
  "type: 'audio'",
  "type: 'resource_link'",
  "type: 'resource'",
  'structured:',
  'McpToolError(',
])('the README has an example of a result with %s', (kind) => {
  const [, example = ''] = section('What a handler returns').split('```ts');
  expect(example).toContain(kind);
});
