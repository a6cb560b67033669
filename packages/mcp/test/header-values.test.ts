import { decodeHeaderValue } from '../src/http/internal/transport.js';
import { findParamHeaders } from '../src/server/internal/schemas.js';
import { Rig } from './support/rig.js';

const b64 = (text: string) => `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;

describe('a header value', () => {
  it.each([
    ['plain', 'plain'],
    ['  spaces around  ', 'spaces around'],
    ['=?base64?SGVsbG8=?=', 'Hello'],
    [' =?base64?SGVsbG8=?= ', 'Hello'],
    ['=?base64??=', ''],
    [b64('Grüße'), 'Grüße'],
    ['SGVsbG8=', 'SGVsbG8='],
    ['=?base64?SGVsbG8=', '=?base64?SGVsbG8='],
    ['SGVsbG8=?=', 'SGVsbG8=?='],
    ['=?BASE64?SGVsbG8=?=', '=?BASE64?SGVsbG8=?='],
    ['=?base64?SGVsbG8?=', undefined],
    ['=?base64?SGVs!!!bG8=?=', undefined],
    ['=?base64?SGVsbG8==?=', undefined],
    ['=?base64?_-8=?=', undefined],
    ['=?base64?SGVsbG9=?=', undefined],
    ['=?base64?//8=?=', undefined],
  ])('%p stands for %p', (value, text) => {
    expect(decodeHeaderValue(value)).toBe(text);
  });
});

describe('headers that repeat arguments', () => {
  const schema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
      where: { type: 'object', properties: { zone: { type: 'string', 'x-mcp-header': 'Zone' } } },
    },
  };
  const rig = new Rig({ register: (server) => server.tool('t', { input: schema }, (args) => JSON.stringify(args)) });
  const call = (args: object, headers: Record<string, string>) =>
    rig.stateless('tools/call', { name: 't', arguments: args }, { headers });

  it.each([
    ['a text', { region: 'eu' }, { 'mcp-param-region': 'eu' }],
    ['an encoded text', { region: 'Zürich' }, { 'mcp-param-region': b64('Zürich') }],
    ['a text with spaces in it', { region: ' eu ' }, { 'mcp-param-region': b64(' eu ') }],
    ['a number in another spelling', { count: 42 }, { 'mcp-param-count': '42.0' }],
    ['a boolean', { dry: false }, { 'mcp-param-dry': 'false' }],
    ['a nested one', { where: { zone: 'a' } }, { 'mcp-param-zone': 'a' }],
    ['nothing on either side', {}, {}],
    ['null without a header', { where: null }, {}],
    ['headers that no schema knows', {}, { 'mcp-param-other': 'x' }],
  ])('agree on %s', async (_, args, headers) => {
    expect((await call(args, headers)).json.error?.code).toBeUndefined();
  });

  it.each([
    ['a value without its header', { region: 'eu' }, {}],
    ['a header without its value', {}, { 'mcp-param-region': 'eu' }],
    ['a header for null', { region: null }, { 'mcp-param-region': 'null' }],
    ['another value', { region: 'eu' }, { 'mcp-param-region': 'us' }],
    ['another case', { region: 'eu' }, { 'mcp-param-region': 'EU' }],
    ['another number', { count: 42 }, { 'mcp-param-count': '43' }],
    ['a number that is none', { count: 42 }, { 'mcp-param-count': '0x2a' }],
    ['a boolean in another spelling', { dry: true }, { 'mcp-param-dry': '1' }],
    ['bad base64', { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8?=' }],
    ['a value that is an object', { region: {} }, { 'mcp-param-region': '[object Object]' }],
  ])('do not agree on %s', async (_, args, headers) => {
    const answer = await call(args, headers as Record<string, string>);
    expect([answer.status, answer.json.error.code]).toEqual([400, -32020]);
  });

  it('are not required in the session era', async () => {
    const answer = await (await rig.connect()).call('t', { region: 'eu' });
    expect(answer.json.result.content[0].text).toBe('{"region":"eu"}');
  });

  it('names go by the same rules', async () => {
    const named = new Rig({
      register: (server) => server.resourceTemplate('a://{x}', { name: 'x' }, ({ x = '' }) => x),
    });
    const uri = 'a://größe';
    const read = (name: string) => named.stateless('resources/read', { uri }, { headers: { 'mcp-name': name } });
    expect((await read(b64(uri))).json.result.contents[0].text).toBe('größe');
    expect((await read('=?base64?YQ?=')).json.error.code).toBe(-32020);
  });
});

describe('annotations of a schema', () => {
  const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

  it.each([
    ['that are texts', object({ a: { type: 'string', 'x-mcp-header': 5 } }), 'x-mcp-header must be a header token'],
    [
      'that are tokens',
      object({ a: { type: 'string', 'x-mcp-header': 'a b' } }),
      'x-mcp-header must be a header token',
    ],
    [
      'that are not empty',
      object({ a: { type: 'string', 'x-mcp-header': '' } }),
      'x-mcp-header must be a header token',
    ],
    [
      'on numbers',
      object({ a: { type: 'number', 'x-mcp-header': 'A' } }),
      'x-mcp-header is only for properties of type string, integer or boolean',
    ],
    [
      'that differ in case only',
      object({ a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } }),
      'x-mcp-header names must differ',
    ],
    [
      'inside a list',
      object({ a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } }),
      'x-mcp-header is only for properties that "properties" leads to',
    ],
    [
      'behind a condition',
      object({}, { anyOf: [object({ a: { type: 'string', 'x-mcp-header': 'A' } })] }),
      'x-mcp-header is only for properties that "properties" leads to',
    ],
  ])('must be ones %s', (_, schema, problem) => {
    expect(findParamHeaders(schema)).toBe(problem);
  });

  it('are not mistaken for names or data', () => {
    const schema = object({
      'x-mcp-header': { type: 'string', default: { 'x-mcp-header': 'x' } },
      b: { type: 'string', 'x-mcp-header': 'B' },
    });
    expect(findParamHeaders(schema)).toEqual([{ header: 'mcp-param-b', path: ['b'] }]);
  });
});
