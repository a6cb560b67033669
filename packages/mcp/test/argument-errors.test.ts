import { Public, SecureApp } from '@sallyport/secure';
import { connectMcp } from '@sallyport/testkit/mcp';
import * as v from 'valibot';
import { z } from 'zod';
import { agentCoreTools } from '../src/agentcore.js';
import { createMcpServer, type McpServer, type McpServerOptions, mountMcp } from '../src/index.js';
import { buildAgentCoreCall } from '../src/testing.js';
import { type Line, logTo } from './support/rig.js';

const ZOD = z.strictObject({
  n: z.number().min(1),
  kind: z.enum(['a', 'b']),
  list: z.array(z.object({ s: z.string() })),
});

/** The example of SEP-1303, with messages of the application. */
const FLIGHT = z
  .object({ departure: z.string().regex(/^\d{2}\/\d{2}\/\d{4}$/, 'date must be in dd/mm/yyyy format') })
  .superRefine(({ departure }, ctx) => {
    if (departure.endsWith('/2020')) {
      ctx.addIssue({
        code: 'custom',
        path: ['departure'],
        message: 'Dates must be in the future. Current date is 08/08/2025',
      });
    }
  });

/** The same rules in JSON Schema. */
const RULES = {
  type: 'object',
  additionalProperties: false,
  required: ['kind'],
  properties: {
    n: { type: 'integer', minimum: 1, maximum: 5, multipleOf: 2 },
    kind: { enum: ['a', 'b'] },
    word: { type: ['string', 'null'], minLength: 2, pattern: '^[a-z]+$' },
    day: { type: 'string', format: 'date' },
    list: { type: 'array', maxItems: 1, uniqueItems: true, items: { $ref: '#/$defs/item' } },
    both: { const: { x: 1 } },
    one: {
      anyOf: [
        { type: 'string', maxLength: 1 },
        { type: 'number', exclusiveMaximum: 3 },
      ],
    },
  },
  $defs: { item: { type: 'object', required: ['s'], properties: { s: { type: 'string', maxLength: 3 } } } },
} as const;

/** A validator whose issues have these messages. */
const saying = (message: string, path: readonly PropertyKey[] = ['n'], schema: object = RULES) => ({
  '~standard': {
    version: 1 as const,
    vendor: 'test',
    validate: () => ({ issues: [{ message, path }] }),
    jsonSchema: { input: () => schema as never, output: () => schema as never },
  },
});

function create(options: Partial<McpServerOptions> = {}): McpServer {
  return createMcpServer({ name: 'a', version: '1', ...options })
    .tool('zod', { input: ZOD }, () => 'ok')
    .tool('book_flight', { input: FLIGHT }, () => 'booked')
    .tool(
      'valibot',
      {
        input: v.object({ s: v.pipe(v.string(), v.minLength(3, 'too short for a name')) }),
        inputJsonSchema: { type: 'object' },
      },
      () => 'ok',
    )
    .tool('rules', { input: RULES }, () => 'ok')
    .tool('empty', { input: saying('') }, () => 'ok')
    .tool('blank', { input: saying(' \n ', ['there']) }, () => 'ok')
    .tool('lines', { input: saying('first\r\nsecond\u2028third \u202eabc\u0000') }, () => 'ok')
    .tool('long', { input: saying('x'.repeat(500)) }, () => 'ok')
    .tool('path', { input: saying('no', ['a\nb', 'c'.repeat(500)]) }, () => 'ok');
}

/** The error message of a tool, through each kind of client. */
async function textsOf(options: Partial<McpServerOptions>, name: string, args: object): Promise<readonly unknown[]> {
  const server = create(options);
  const app = new SecureApp({ log: false, surfaces: [agentCoreTools(server, { posture: Public() })] });
  mountMcp(app, server, { posture: Public() });
  const texts: unknown[] = [];
  for (const version of ['2025-11-25', '2026-07-28'] as const) {
    const client = await connectMcp(app, { version });
    const result = await client.callTool(name, args);
    texts.push([result.isError, result.content[0]?.text]);
  }
  const { event, clientContext } = buildAgentCoreCall(name, args, { target: 'a' });
  const agent = (await app.handleLambda(event, { clientContext })) as {
    isError: unknown;
    content: [{ text: unknown }];
  };
  texts.push([agent.isError, agent.content[0].text]);
  return texts;
}

describe('wrong arguments', () => {
  it.each<[string, Partial<McpServerOptions>, string, object, string]>([
    [
      'in the words of zod',
      {},
      'zod',
      { n: 0, list: [{ s: 1 }] },
      '/n: Too small: expected number to be >=1; /kind: Invalid option: expected one of "a"|"b"; /list/0/s: Invalid input: expected string, received number',
    ],
    [
      'with an unknown key, in the words of zod',
      {},
      'zod',
      { n: 1, kind: 'a', list: [], extra: 1 },
      '/: Unrecognized key: "extra"',
    ],
    ['in the words of valibot', {}, 'valibot', { s: 'ab' }, '/s: too short for a name'],
    [
      "in the author's words: the form",
      {},
      'book_flight',
      { departure: '2025-12-12' },
      '/departure: date must be in dd/mm/yyyy format',
    ],
    [
      "in the author's words: the meaning",
      {},
      'book_flight',
      { departure: '12/12/2020' },
      '/departure: Dates must be in the future. Current date is 08/08/2025',
    ],
    [
      'by rule and bound, where a message is empty',
      {},
      'empty',
      { n: -1, kind: 'a' },
      '/n: minimum 1; /n: multipleOf 2',
    ],
    ['by the path alone, where no rule explains an empty message', {}, 'blank', { n: 2, kind: 'a' }, '/there: schema'],
    ['on one line', {}, 'lines', {}, '/n: first second third abc'],
    ['in 200 characters', {}, 'long', {}, `/n: ${'x'.repeat(199)}…`],
    ['at a path on one line, of 200 characters', {}, 'path', {}, `/a b/${'c'.repeat(194)}…: no`],
    [
      'by rule and bound, on request',
      { argumentErrors: 'rule' },
      'zod',
      { n: 0, list: [], extra: 1 },
      '/kind: required; /n: minimum 1; /extra: unknown',
    ],
    [
      "by the path alone, on request, where only the author's code has the rule",
      { argumentErrors: 'rule' },
      'book_flight',
      { departure: '12/12/2020' },
      '/departure: schema',
    ],
  ])('are named %s', async (_, options, name, args, text) => {
    const wanted = [true, `Invalid arguments: ${text}`];
    expect(await textsOf(options, name, args)).toEqual([wanted, wanted, wanted]);
  });

  it.each<[object, string]>([
    [{ n: -1, kind: 'a' }, '/n: minimum 1; /n: multipleOf 2'],
    [{ n: 8, kind: 'a' }, '/n: maximum 5'],
    [{ n: '1', kind: 'a' }, '/n: type integer'],
    [{ kind: 'c' }, '/kind: one of "a", "b"'],
    [{}, '/kind: required'],
    [{ kind: 'a', extra: 1 }, '/extra: unknown'],
    [{ kind: 'a', word: 'A' }, '/word: minLength 2; /word: pattern ^[a-z]+$'],
    [{ kind: 'a', word: 5 }, '/word: type string or null'],
    [{ kind: 'a', day: 'tomorrow' }, '/day: format date'],
    [{ kind: 'a', list: [{ s: 'long' }] }, '/list/0/s: maxLength 3'],
    [{ kind: 'a', list: [{}] }, '/list/0/s: required'],
    [{ kind: 'a', list: [{ s: '' }, { s: '' }] }, '/list: maxItems 1; /list: uniqueItems'],
    [{ kind: 'a', both: { x: 2 } }, '/both: must be {"x":1}'],
    [{ kind: 'a', one: 4 }, '/one: anyOf; /one: type string; /one: exclusiveMaximum 3'],
  ])('%j of a JSON Schema are named by rule and bound', async (args, text) => {
    const wanted = [true, `Invalid arguments: ${text}`];
    expect(await textsOf({}, 'rules', args)).toEqual([wanted, wanted, wanted]);
  });

  it('do not make the bound of a rule longer than 200 characters', async () => {
    const values = Array.from({ length: 100 }, (_, n) => `value ${n}`);
    const server = createMcpServer({ name: 'a', version: '1' }).tool(
      'pick',
      { input: { type: 'object', properties: { one: { enum: values } } } },
      () => 'ok',
    );
    const app = new SecureApp({ log: false });
    mountMcp(app, server, { posture: Public() });
    const { content } = await (await connectMcp(app)).callTool('pick', { one: 1 });
    expect(content[0]?.text).toMatch(/^Invalid arguments: \/one: one of "value 0", "value 1".{150,180}…$/);
  });
});

it('a result against its schema is logged by rule, without a word of the validator', async () => {
  const lines: Line[] = [];
  const server = createMcpServer({ name: 'a', version: '1' }).tool(
    'odd',
    { output: z.object({ n: z.string().refine(() => false, 'the value secret is wrong') }) },
    () => ({ structured: { n: 'secret' } }),
  );
  const app = new SecureApp({ log: logTo(lines) });
  mountMcp(app, server, { posture: Public() });
  await (await connectMcp(app)).callTool('odd');
  expect(JSON.stringify(lines)).toContain('/n: schema');
  expect(JSON.stringify(lines)).not.toContain('secret');
});

it('option "argumentErrors" is checked', () => {
  expect(() => create({ argumentErrors: 'all' as never })).toThrow(
    expect.failure('app.invalid_configuration', 'option "argumentErrors"'),
  );
});
