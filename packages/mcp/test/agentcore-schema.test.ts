import { z } from 'zod';
import { toToolSchema } from '../src/agentcore.js';
import { createMcpServer, type McpServer } from '../src/index.js';

function serverWith(options: object, name = 'tool'): McpServer {
  return createMcpServer({ name: 's', version: '1' }).tool(name, options as never, () => 'x');
}

const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });

it('keeps type, description, properties, items and required, and inlines references', () => {
  const input = object(
    {
      to: { $ref: '#/$defs/address', description: 'where to' },
      from: { $ref: '#/$defs/address' },
      tags: { type: 'array', items: { type: 'string', minLength: 1, pattern: '^a' }, minItems: 1 },
      odd: { $ref: '#/$defs/a~1b%20c' },
      size: { type: 'integer', minimum: 1, description: 'in bytes' },
    },
    {
      required: ['to'],
      additionalProperties: false,
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $defs: {
        address: object({ city: { type: 'string' } }, { description: 'an address' }),
        'a/b c': { type: 'boolean' },
      },
    },
  );
  const address = { type: 'object', properties: { city: { type: 'string' } } };
  expect(toToolSchema(serverWith({ description: 'Sends.', input, output: object({ n: { type: 'number' } }) }))).toEqual(
    [
      {
        name: 'tool',
        description: 'Sends.',
        inputSchema: {
          type: 'object',
          properties: {
            to: { ...address, description: 'where to' },
            from: { ...address, description: 'an address' },
            tags: { type: 'array', items: { type: 'string' } },
            odd: { type: 'boolean' },
            size: { type: 'integer', description: 'in bytes' },
          },
          required: ['to'],
        },
        outputSchema: { type: 'object', properties: { n: { type: 'number' } } },
      },
    ],
  );
});

it('has an empty object for a tool without arguments, and leaves out tools of apps', () => {
  const server = serverWith({ description: 'Plain.' });
  server.app('ui://a', { name: 'a' }, '<p>');
  server.tool('hidden', { app: { uri: 'ui://a', visibility: ['app'] } }, () => 'x');
  expect(toToolSchema(server)).toEqual([{ name: 'tool', description: 'Plain.', inputSchema: { type: 'object' } }]);
});

it.each<[string, object, string]>([
  ['no description', {}, 'tool "tool" has no description'],
  ['a blank description', { description: ' ' }, 'tool "tool" has no description'],
  ['a nullable member', { input: z.object({ a: z.string().nullable() }) }, 'tool "tool": input.a must have one type'],
  [
    'a union',
    { input: z.object({ a: z.array(z.union([z.object({ b: z.string() }), z.object({ c: z.number() })])) }) },
    'tool "tool": input.a[] uses anyOf',
  ],
  ['oneOf', { input: object({ a: { type: 'string', oneOf: [] } }) }, 'tool "tool": input.a uses oneOf'],
  ['allOf', { input: object({}, { allOf: [{ required: ['a'] }] }) }, 'tool "tool": input uses allOf'],
  [
    'a list of types',
    { input: object({ a: { type: ['string', 'null'] } }) },
    'tool "tool": input.a must have one type',
  ],
  ['no type', { input: object({ a: {} }) }, 'tool "tool": input.a must have one type'],
  ['true', { input: object({ a: true }) }, 'tool "tool": input.a must be a schema'],
  ['a reference to itself', { input: object({ a: { $ref: '#' } }) }, 'tool "tool": input.a.a refers to itself'],
  [
    'an anchor',
    { input: object({ a: { $ref: '#there' } }) },
    'tool "tool": input.a has a $ref that is not a JSON pointer',
  ],
  [
    'nothing behind a reference',
    { input: object({ a: { $ref: '#/$defs/a' } }) },
    'tool "tool": input.a refers to nothing',
  ],
  ['an unfit output', { output: object({ a: {} }) }, 'tool "tool": output.a must have one type'],
])('%s is rejected by tool', (_what, options, text) => {
  const server = serverWith({
    ...('input' in options || 'output' in options ? { description: 'D.' } : {}),
    ...options,
  });
  expect(() => toToolSchema(server)).toThrow(expect.failure('mcp.invalid_registration', `mcp: ${text}`));
});
