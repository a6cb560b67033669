import { Public, SecureApp } from '@sallyport/secure';
import * as v from 'valibot';
import { z } from 'zod';
import { createMcpServer, type McpServer, memoryMcpStore, mountMcp } from '../src/index.js';
import { Rig, SECRET, toEvent } from './support/rig.js';

const make = (options: object = {}) => createMcpServer({ name: 'a', version: '1', ...options } as never);
const nested = (depth: number): object => (depth === 0 ? {} : { properties: { a: nested(depth - 1) } });

describe('options', () => {
  it.each([
    [{ name: '' }, 'option "name"'],
    [{ version: undefined }, 'option "version"'],
    [{ nmae: 'x' }, 'unknown option "nmae"'],
    [{ sessions: 'sticky' }, 'option "sessions"'],
    [{ sessions: 'sealed' }, 'option "sessions"'],
    [{ sessions: 'durable' }, 'option "sessions"'],
    [{ sessions: 'durable', secret: SECRET }, 'option "sessions"'],
    [{ secret: { current: 'short' } }, 'option "secret"'],
    [{ secret: { ...SECRET, previous: ['short'] } }, 'option "secret"'],
    [{ secret: 'x'.repeat(40) }, 'option "secret"'],
    [{ changes: true }, 'option "changes"'],
    [{ store: {} }, 'option "store"'],
    [{ spill: null }, 'option "spill"'],
    [{ clock: 1 }, 'option "clock"'],
    [{ sessionTtlSeconds: 31 * 86_400, secret: SECRET }, 'option "sessionTtlSeconds"'],
    [{ pageSize: 0 }, 'option "pageSize"'],
    [{ maxBodyBytes: '4' }, 'option "maxBodyBytes"'],
    [{ whileWaiting: 'sleep' }, 'option "whileWaiting"'],
    [{ cache: { ttlMs: -1 } }, 'option "cache.ttlMs"'],
    [{ cache: { scope: 'all' } }, 'option "cache.scope"'],
    [{ logging: 'yes' }, 'option "logging"'],
    [{ title: 5 }, 'option "title"'],
    [{ allowedOrigins: ['claude.ai'] }, 'option "allowedOrigins"'],
    [{ extensions: { nameless: {} } }, 'extension "nameless" must be "prefix/name" with an object'],
    [{ extensions: { 'a/b': 5 } }, 'extension "a/b" must be "prefix/name" with an object'],
  ])('%j are rejected', (options, message) => {
    expect(() => make(options)).toThrow(expect.failure('app.invalid_configuration', message));
  });

  it('never show a secret', () => {
    expect(() => make({ secret: { current: 'hunter2' } })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('hunter2') }),
    );
  });
});

describe('registration', () => {
  const text = () => 'x';
  const cases: readonly [string, (server: McpServer) => unknown, string][] = [
    ['a tool twice', (s) => s.tool('a', {}, text).tool('a', {}, text), 'tool "a" is registered twice'],
    ['a prompt twice', (s) => s.prompt('a', {}, text).prompt('a', {}, text), 'prompt "a" is registered twice'],
    [
      'a URI twice',
      (s) => s.resource('a://b', { name: 'b' }, text).resource('a://b', { name: 'c' }, text),
      'resource "a://b" is registered twice',
    ],
    [
      'a template twice',
      (s) => s.resourceTemplate('a://{b}', { name: 'b' }, text).resourceTemplate('a://{b}', { name: 'c' }, text),
      'template "a://{b}" is registered twice',
    ],
    ['a URI without a scheme', (s) => s.resource('/b', { name: 'b' }, text), 'resource "/b" has no scheme'],
    [
      'a template without a scheme',
      (s) => s.resourceTemplate('{b}', { name: 'b' }, text),
      '"{b}" is not a URI template with a scheme and variables',
    ],
    [
      'a template without variables',
      (s) => s.resourceTemplate('a://b', { name: 'b' }, text),
      '"a://b" is not a URI template with a scheme and variables',
    ],
    [
      'a template with a broken variable',
      (s) => s.resourceTemplate('a://{b', { name: 'b' }, text),
      '"a://{b" is not a URI template with a scheme and variables',
    ],
    ['a name with a space', (s) => s.tool('a b', {}, text), 'tool name "a b" is not of the form [A-Za-z0-9_.-]{1,128}'],
    ['an empty name', (s) => s.prompt('', {}, text), 'prompt name "" is not of the form [A-Za-z0-9_.-]{1,128}'],
    [
      'a long name',
      (s) => s.tool('a'.repeat(129), {}, text),
      `tool name "${'a'.repeat(129)}" is not of the form [A-Za-z0-9_.-]{1,128}`,
    ],
    ['no handler', (s) => s.tool('a', {}, undefined as never), 'tool "a" has no handler function'],
    [
      'an array schema',
      (s) => s.tool('a', { input: { type: 'array' } }, text),
      'tool "a": input must have the root type "object"',
    ],
    [
      'a schema without a type',
      (s) => s.tool('a', { input: { properties: {} } }, text),
      'tool "a": input must have the root type "object"',
    ],
    [
      'an output of texts',
      (s) => s.tool('a', { output: { type: 'string' } }, text as never),
      'tool "a": output must have the root type "object"',
    ],
    [
      'a reference to the network',
      (s) => s.tool('a', { input: { type: 'object', properties: { b: { $ref: 'https://x.example/s.json' } } } }, text),
      'tool "a": input has a $ref to a network address',
    ],
    [
      'an unknown dialect',
      (s) => s.tool('a', { input: { type: 'object', $schema: 'https://x.example/dialect' } }, text),
      'tool "a": input names an unknown dialect in $schema',
    ],
    [
      'a schema that nests too deep',
      (s) => s.tool('a', { input: { type: 'object', ...nested(40) } }, text),
      'tool "a": input nests deeper than 64',
    ],
    [
      'a schema that is too large',
      (s) => s.tool('a', { input: { type: 'object', anyOf: Array.from({ length: 2001 }, () => ({})) } }, text),
      'tool "a": input has more than 2000 nodes',
    ],
    [
      'an annotation out of place',
      (s) => s.tool('a', { input: { type: 'object', 'x-mcp-header': 'A' } }, text),
      'tool "a": x-mcp-header is only for properties that "properties" leads to',
    ],
    [
      'asking without a secret',
      (s) => s.tool('a', { asks: ['elicitation'] }, text),
      'tool "a" asks the client, which needs the option "secret"',
    ],
    [
      'requiring without a secret',
      (s) => s.prompt('a', { requires: ['roots'] }, text),
      'prompt "a" asks the client, which needs the option "secret"',
    ],
    [
      'asking for anything',
      (s) => s.tool('a', { asks: ['money' as never] }, text),
      'tool "a": option "asks[0]" must be "elicitation", "sampling" or "roots"',
    ],
    [
      'blank scopes',
      (s) => s.tool('a', { scopes: [' '] }, text),
      'tool "a": option "scopes[0]" must be the name of a scope',
    ],
    [
      'a completer of nothing',
      (s) => s.resourceTemplate('a://{b}', { name: 'b', complete: { c: [] } as never }, text),
      'resource template "a://{b}" has no variable "c"',
    ],
    [
      'a resource without a name',
      (s) => s.resource('a://b', {} as never, text),
      'resource "a://b": option "name" must be a name',
    ],
    [
      'a validator without a JSON Schema',
      (s) => s.tool('a', { input: v.object({ b: v.string() }) }, text),
      'tool "a": input: the validator has no JSON Schema; add inputJsonSchema',
    ],
  ];

  it.each(cases)('of %s fails', (_, register, what) => {
    expect(() => register(make())).toThrow(
      expect.objectContaining({ code: 'mcp.invalid_registration', message: `framework: mcp: ${what}` }),
    );
  });

  it.each([
    ['tool', (s: McpServer) => s.tool('a', { inputs: {} } as never, text)],
    ['resource', (s: McpServer) => s.resource('a://b', { name: 'b', mime: 'x' } as never, text)],
    ['prompt', (s: McpServer) => s.prompt('a', { args: { b: { needed: true } as never } }, text)],
  ])('of an unknown option of a %s fails', (_, register) => {
    expect(() => register(make())).toThrow(
      /^framework: mcp: (tool|resource|prompt) "[^"]+": unknown option "(inputs|mime|args\.b\.needed)"/,
    );
  });

  it('closes at the first request', async () => {
    const server = make();
    server.tool('early', {}, text);
    const app = new SecureApp({ log: false });
    mountMcp(app, server, { posture: Public() });
    await app.serveLambdaFunctionURL(toEvent('POST', '{', {}));
    expect(() => server.tool('late', {}, text)).toThrow(expect.objectContaining({ code: 'mcp.closed' }));
  });

  it('copies a schema, and lists it unchanged', async () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { a: { $anchor: 'b' } },
      allOf: [{ if: {} }],
    };
    const rig = new Rig({
      register: (server) => {
        const own = structuredClone(schema);
        server.tool(
          't',
          { input: own, annotations: { readOnlyHint: true }, icons: [{ src: 'https://a.example/i.png' }], title: 'T' },
          text,
        );
        own.type = 'changed';
      },
    });
    const session = await rig.connect();
    await session.call('t', {});
    expect((await session.request('tools/list')).json.result.tools).toEqual([
      {
        name: 't',
        title: 'T',
        inputSchema: schema,
        annotations: { readOnlyHint: true },
        icons: [{ src: 'https://a.example/i.png' }],
      },
    ]);
  });

  it('publishing needs changes', async () => {
    await expect(make({ store: memoryMcpStore() }).publish({ list: 'tools' })).rejects.toMatchObject({
      code: 'mcp.changes_off',
    });
  });
});

describe('validators', () => {
  const rig = new Rig({
    register: (server) => {
      const input = z.object({ n: z.number().int(), word: z.enum(['a', 'b']).default('a') });
      server.tool('zod', { input, output: z.object({ double: z.number() }) }, ({ n, word }) => ({
        structured: { double: n * 2, word },
      }));
      server.tool(
        'valibot',
        { input: v.object({ s: v.pipe(v.string(), v.trim()) }), inputJsonSchema: { type: 'object', required: ['s'] } },
        ({ s }) => `<${s}>`,
      );
      server.tool('async', { input: z.object({ n: z.number() }).refine(async ({ n }) => n > 0) }, ({ n }) => String(n));
    },
  });

  it('list their JSON Schema', async () => {
    const { tools } = (await (await rig.connect()).request('tools/list')).json.result;
    expect(tools[0].inputSchema).toMatchObject({
      type: 'object',
      properties: { n: { type: 'integer' }, word: { enum: ['a', 'b'] } },
    });
    expect(tools[0].outputSchema).toMatchObject({ type: 'object', required: ['double'] });
    expect(tools[1].inputSchema).toEqual({ type: 'object', required: ['s'] });
  });

  it('check and transform arguments', async () => {
    const session = await rig.connect();
    expect((await session.call('zod', { n: 2 })).json.result.structuredContent).toEqual({ double: 4, word: 'a' });
    expect((await session.call('valibot', { s: '  x ' })).json.result.content[0].text).toBe('<x>');
    expect((await session.call('async', { n: 1 })).json.result.content[0].text).toBe('1');
  });

  it('reject with the message of the validator', async () => {
    const session = await rig.connect();
    const answer = await session.call('zod', { n: 'secret-value', word: 'secret-word' });
    expect(answer.json.result).toEqual({
      content: [
        {
          type: 'text',
          text: 'Invalid arguments: /n: Invalid input: expected number, received string; /word: Invalid option: expected one of "a"|"b"',
        },
      ],
      isError: true,
    });
    expect((await session.call('async', { n: -1 })).json.result.isError).toBe(true);
  });
});
