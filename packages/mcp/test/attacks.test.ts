import fc from 'fast-check';
import { compileTemplate } from '../src/server/internal/uri-template.js';
import { Rig } from './support/rig.js';

/** One request of each costs next to nothing: where it is answered at all before the runner gives up, it was not slow. */
describe('a small request that is expensive to judge', () => {
  const expensive = new Rig({
    server: { store: null, sessions: 'none' },
    register: (server) => {
      const read = () => 'read';
      server.resourceTemplate('dots://{a}.{b}.{c}.{d}', { name: 'dots' }, read);
      server.resourceTemplate('paths://{+a}/{+b}/{+c}', { name: 'paths' }, read);
      server.resourceTemplate('pkg://{name}-{version}.{ext}/x', { name: 'package' }, read);
      server.tool('search', { input: FILTER }, () => 'found');
      server.tool('unique', { input: { type: 'object', properties: { list: { uniqueItems: true } } } }, () => 'kept');
      server.tool('numbers', { input: { type: 'object', properties: { list: NUMBERS } } }, () => 'kept');
    },
  });
  const read = (uri: string) => expensive.stateless('resources/read', { uri });
  const call = (name: string, args: object) => expensive.stateless('tools/call', { name, arguments: args });

  it.each([
    ['dots', `dots://${'.'.repeat(8000)}/`],
    ['slashes', `paths://${'/'.repeat(8000)}`],
    ['dashes and dots', `pkg://${'-'.repeat(4000)}${'.'.repeat(4000)}/y`],
    ['letters', `dots://${'a'.repeat(8000)}`],
  ])('a URI of %s', async (_, uri) => {
    const { json } = await read(uri);
    expect(json.error?.code ?? json.result.contents[0].text).toBe(uri.startsWith('paths') ? 'read' : -32602);
  });

  it('a filter that nests as deep as a message may', async () => {
    let filter: object = { field: 'a' };
    for (let depth = 0; depth < 28; depth += 1) filter = { [depth % 2 ? 'and' : 'or']: [filter] };
    const { result } = (await call('search', { filter })).json;
    expect([result.isError, result.content[0].text]).toEqual([true, expect.stringMatching(/^Invalid arguments: \//)]);
  });

  it('a long list of items that must differ', async () => {
    const numbers = Array.from({ length: 100_000 }, (_, n) => n);
    expect((await call('unique', { list: numbers })).json.result).toMatchObject({
      content: [{ text: 'Invalid arguments: /: too large to check' }],
    });
    expect((await call('unique', { list: numbers.slice(0, 2000) })).json.result.content[0].text).toBe('kept');
    expect((await call('unique', { list: [1, 2, 1] })).json.result.content[0].text).toBe(
      'Invalid arguments: /list: uniqueItems',
    );
  });

  it('a long list in which every item is wrong', async () => {
    const list = Array.from({ length: 200_000 }, () => 'x');
    expect((await call('numbers', { list })).json.result.content[0].text).toBe('Invalid arguments: /list/0: type');
    expect((await call('numbers', { list: list.map(() => 1) })).json.result.content[0].text).toBe('kept');
  });
});

const NUMBERS = { type: 'array', items: { type: 'number' } };
/** The usual filter of a search: each alternative names itself by its one member. */
const FILTER = {
  type: 'object',
  properties: { filter: { $ref: '#/$defs/filter' } },
  $defs: {
    filter: {
      anyOf: [
        {
          type: 'object',
          properties: { and: { type: 'array', items: { $ref: '#/$defs/filter' } } },
          additionalProperties: false,
        },
        {
          type: 'object',
          properties: { or: { type: 'array', items: { $ref: '#/$defs/filter' } } },
          additionalProperties: false,
        },
        {
          type: 'object',
          properties: { and: { items: { $ref: '#/$defs/filter' } }, or: { items: { $ref: '#/$defs/filter' } } },
          required: ['not'],
        },
      ],
    },
  },
};

describe('a URI template', () => {
  it.each([
    ['a://{x}/{y}', ['/', 'p', '?']],
    ['a://{x}.{y}.{z}', ['.', 'p', '/']],
    ['a://{+x}-{y}', ['-', 'p', '/', '#']],
    ['a://{+x}/{+y}/z', ['/', 'p', 'z']],
    ['a://{x}ab{y}b', ['a', 'b', 'ab']],
  ])('finds what a regular expression of lazy groups finds: %s', (text, units) => {
    const source = text
      .replace(/[./-]/g, '\\$&')
      .replace(/\{\+\w+\}/g, '(.+?)')
      .replace(/\{\w+\}/g, '([^/?#]+?)');
    const pattern = new RegExp(`^${source}$`);
    const template = compileTemplate(text);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...units), { maxLength: 12 }), (pieces) => {
        const uri = `a://${pieces.join('')}`;
        const found = template?.match(uri);
        expect(found && Object.values(found)).toEqual(pattern.exec(uri)?.slice(1));
      }),
      { numRuns: 500 },
    );
  });
});
