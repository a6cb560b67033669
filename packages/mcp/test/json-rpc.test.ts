import { nestsDeeper, parseMessage } from '../src/protocol/internal/json-rpc.js';
import { Rig, STATELESS } from './support/rig.js';
import { registerAll } from './support/server.js';

const rig = new Rig({ register: registerAll });

describe('a body', () => {
  it.each([
    ['no JSON', '{', 400, -32700, null],
    ['nothing', '', 400, -32700, null],
    ['a text', '"x"', 400, -32600, null],
    ['null', 'null', 400, -32600, null],
    ['a wrong jsonrpc, with its id', '{"jsonrpc":"1.0","id":"a","method":"ping"}', 400, -32600, 'a'],
    ['no jsonrpc, with its id', '{"id":0,"method":"ping"}', 400, -32600, 0],
    ['a null id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600, null],
    ['a broken id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32600, null],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600, null],
    ['an empty method', '{"jsonrpc":"2.0","id":4,"method":""}', 400, -32600, 4],
    ['a method that is no text', '{"jsonrpc":"2.0","id":4,"method":5}', 400, -32600, 4],
    ['a list of params', '{"jsonrpc":"2.0","id":4,"method":"ping","params":[]}', 400, -32600, 4],
    ['params that are null', '{"jsonrpc":"2.0","id":4,"method":"ping","params":null}', 400, -32600, 4],
    ['result and error', '{"jsonrpc":"2.0","id":4,"result":{},"error":{}}', 400, -32600, 4],
    ['method and result', '{"jsonrpc":"2.0","id":4,"method":"ping","result":{}}', 400, -32600, 4],
    ['neither method nor result', '{"jsonrpc":"2.0","id":4}', 400, -32600, 4],
    ['an error that is a text', '{"jsonrpc":"2.0","id":4,"error":"x"}', 400, -32600, 4],
  ])('of %s is rejected', async (_, body, status, code, id) => {
    const answer = await rig.post(body);
    expect([answer.status, answer.json.error.code, answer.json.id]).toEqual([status, code, id]);
    expect(answer.headers['content-type']).toBe('application/json');
  });

  it('carries no id in the stateless era when none could be read', async () => {
    const answer = await rig.post('{', { headers: { 'mcp-protocol-version': STATELESS } });
    expect([answer.status, answer.json.error.code, 'id' in answer.json]).toEqual([400, -32700, false]);
  });

  it.each([1, 0, '1', '', 'a b', -5])('has the id %p given back with its type', async (id) => {
    const session = await rig.connect();
    const answer = await session.request('ping', {}, { id });
    expect(answer.json).toEqual({ jsonrpc: '2.0', id, result: {} });
  });

  it('that nests more than 64 deep is rejected', async () => {
    const session = await rig.connect();
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const call = (depth: number) =>
      session.post(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":${nested(depth)}}}`,
      );
    expect((await call(62)).status).toBe(200);
    const refused = await call(63);
    expect([refused.status, refused.json.error.code]).toEqual([400, -32600]);
  });
});

describe('parsed messages', () => {
  it.each([
    [
      { jsonrpc: '2.0', id: 0, method: 'a' },
      { kind: 'request', id: 0, method: 'a', params: undefined },
    ],
    [
      { jsonrpc: '2.0', method: 'a', params: { b: 1 } },
      { kind: 'notification', method: 'a', params: { b: 1 } },
    ],
    [
      { jsonrpc: '2.0', id: '', result: null },
      { kind: 'response', id: '', result: null, failed: false },
    ],
    [
      { jsonrpc: '2.0', id: 'x', error: { code: 1 } },
      { kind: 'response', id: 'x', failed: true },
    ],
    [
      { jsonrpc: '2.0', id: null, error: { code: 1 } },
      { kind: 'invalid', id: undefined },
    ],
    [Object.create({ jsonrpc: '2.0', id: 1, method: 'a' }), { kind: 'invalid', id: undefined }],
  ])('%j', (value, parsed) => {
    expect(parseMessage(value)).toEqual(parsed);
  });

  it('depth does not count brackets inside strings', () => {
    expect(nestsDeeper(`["${'['.repeat(500)}"]`, 4)).toBe(false);
    expect(nestsDeeper(`["\\"${'['.repeat(500)}\\\\"]`, 4)).toBe(false);
    expect(nestsDeeper('[[[[[1]]]]]', 4)).toBe(true);
    expect(nestsDeeper('[[[[1]]],[[[1]]]]', 4)).toBe(false);
  });
});

describe('a batch', () => {
  const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' });

  it('of revision 2025-03-26 is answered in order', async () => {
    const session = await rig.connect({ version: '2025-03-26' });
    const answer = await session.post([
      ping('b'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { x: 1 } } },
      { jsonrpc: '2.0', id: 2, method: 'nope' },
      { id: 3 },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual([
      { jsonrpc: '2.0', id: 'b', result: {} },
      { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: '{"x":1}' }] } },
      { jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'Method not found' } },
      { jsonrpc: '2.0', id: 3, error: { code: -32600, message: 'Invalid Request' } },
    ]);
  });

  it('of notifications alone is accepted', async () => {
    const session = await rig.connect({ version: '2025-03-26' });
    const answer = await session.post([{ jsonrpc: '2.0', method: 'notifications/initialized' }]);
    expect([answer.status, answer.text]).toEqual([202, '']);
  });

  it.each([
    ['is empty', '2025-03-26', []],
    ['has 21 messages', '2025-03-26', Array.from({ length: 21 }, (_, id) => ping(id))],
    [
      'initializes',
      '2025-03-26',
      [{ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-03-26' } }],
    ],
    ['comes in revision 2025-06-18', '2025-06-18', [ping(1)]],
    ['comes in revision 2025-11-25', '2025-11-25', [ping(1)]],
  ])('that %s is rejected', async (_, version, body) => {
    const session = await rig.connect({ version });
    const answer = await session.post(body);
    expect([answer.status, answer.json.error.code]).toEqual([400, -32600]);
  });

  it('sends no question and no report', async () => {
    const session = await rig.connect({ version: '2025-03-26' });
    const answer = await session.post([
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask' } },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'report', _meta: { progressToken: 1 } } },
    ]);
    expect(answer.json).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          content: [{ type: 'text', text: 'This client does not support input requests here.' }],
          isError: true,
        },
      },
      { jsonrpc: '2.0', id: 2, result: { content: [{ type: 'text', text: 'reported' }] } },
    ]);
  });

  it('with one forbidden call is forbidden before any of it runs', async () => {
    const session = await rig.connect({ version: '2025-03-26' });
    const answer = await session.post([
      ping(1),
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'scoped' } },
    ]);
    expect([answer.status, answer.json.error.code]).toEqual([403, 'app.forbidden']);
  });
});
