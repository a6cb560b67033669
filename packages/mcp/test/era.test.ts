import { LATEST, Rig, STATELESS, statelessHeaders, statelessMessage } from './support/rig.js';
import { registerAll } from './support/server.js';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const rig = new Rig({ register: registerAll });
const claim = { [VERSION]: STATELESS, [CAPABILITIES]: {} };
const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
const STATELESS_HEADER = { 'mcp-protocol-version': STATELESS };

describe('the era of a message', () => {
  it.each([
    ['GET', 405, 'POST'],
    ['DELETE', 405, 'POST'],
  ])('%s with the stateless header is not allowed', async (method, status, allow) => {
    const answer = await rig.send(method, undefined, { headers: STATELESS_HEADER });
    expect([answer.status, answer.headers.allow]).toEqual([status, allow]);
  });

  it.each([
    ['a claim in one element', [{ ...list, params: { _meta: claim } }, list], {}],
    ['the stateless header', [list], STATELESS_HEADER],
  ])('a batch with %s is invalid', async (_, body, headers) => {
    const answer = await rig.post(body, { headers });
    expect([answer.status, answer.json.error.code]).toEqual([400, -32600]);
  });

  it.each([
    ['a result', { jsonrpc: '2.0', id: 1, result: {} }],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'no' } }],
  ])('%s with the stateless header is invalid', async (_, body) => {
    const answer = await rig.post(body, { headers: STATELESS_HEADER });
    expect([answer.status, answer.json.error.code]).toEqual([400, -32600]);
  });

  it('initialize without a claim but with the stateless header contradicts itself', async () => {
    const params = { protocolVersion: LATEST, capabilities: {}, clientInfo: { name: 'a', version: '1' } };
    const answer = await rig.post(
      { jsonrpc: '2.0', id: 3, method: 'initialize', params },
      { headers: STATELESS_HEADER },
    );
    expect([answer.status, answer.json.id, answer.json.error.code]).toEqual([400, 3, -32020]);
  });

  it('initialize with a claim is an unknown method', async () => {
    const answer = await rig.stateless('initialize', { protocolVersion: STATELESS });
    expect([answer.status, answer.json.error.code]).toEqual([404, -32601]);
  });

  it.each([
    ['no params', undefined, [VERSION, CAPABILITIES]],
    ['no metadata', {}, [VERSION, CAPABILITIES]],
    ['capabilities only', { _meta: { [CAPABILITIES]: {} } }, [VERSION]],
    ['metadata that is no object', { _meta: 'x' }, [VERSION, CAPABILITIES]],
  ])('a request with the stateless header and %s receives the missing names', async (_, params, missing) => {
    const headers = { ...STATELESS_HEADER, 'mcp-method': 'tools/list' };
    const answer = await rig.post({ ...list, params }, { headers });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32602, message: 'Missing or malformed request metadata', data: { missing } },
    });
  });

  it.each([
    ['without header or claim is of the session era', {}, undefined, 400],
    ['with the stateless header is of the stateless era', STATELESS_HEADER, undefined, 202],
    ['with a claim is of the stateless era', STATELESS_HEADER, { _meta: claim }, 202],
    ['with a claim and no header is of the stateless era', {}, { _meta: claim }, 202],
  ])('a notification %s', async (_, headers, params, status) => {
    const answer = await rig.post({ jsonrpc: '2.0', method: 'notifications/whatever', params }, { headers });
    expect(answer.status).toBe(status);
  });

  it('a request with another header and no claim is of the session era', async () => {
    const answer = await rig.post(list, { headers: { 'mcp-protocol-version': LATEST } });
    expect([answer.status, answer.json.error.message]).toEqual([400, 'Mcp-Session-Id is required']);
  });
});

describe('the ladder of the stateless era', () => {
  const params = { name: 'echo', arguments: {} };
  const call = (over: {
    meta?: object;
    headers?: object;
    params?: object;
    method?: string;
    capabilities?: unknown;
  }) => {
    const method = over.method ?? 'tools/call';
    const sent = over.params ?? params;
    const message = statelessMessage(5, method, sent, (over.capabilities ?? {}) as object, over.meta);
    const headers = { ...statelessHeaders(method, sent), ...over.headers } as Record<string, string>;
    for (const [name, value] of Object.entries(headers)) if (value === undefined) delete headers[name];
    return rig.post(message, { headers });
  };

  it.each([
    ['1: a claim that is no text', { meta: { [VERSION]: 20260728 } }, 400, -32602],
    ['1: capabilities that are a list', { capabilities: [] }, 400, -32602],
    ['1: capabilities that are null', { meta: { [CAPABILITIES]: null } }, 400, -32602],
    ['2: a header unlike the claim', { headers: { 'mcp-protocol-version': LATEST } }, 400, -32020],
    ['2: an unknown claim under the stateless header', { meta: { [VERSION]: 'v999' } }, 400, -32020],
    [
      '3: an unknown version in both',
      { meta: { [VERSION]: 'v9' }, headers: { 'mcp-protocol-version': 'v9' } },
      400,
      -32022,
    ],
    [
      '3: a session version claimed',
      { meta: { [VERSION]: LATEST }, headers: { 'mcp-protocol-version': LATEST } },
      400,
      -32022,
    ],
    ['4: no version header', { headers: { 'mcp-protocol-version': undefined } }, 400, -32020],
    ['4: no method header', { headers: { 'mcp-method': undefined } }, 400, -32020],
    ['4: another method in the header', { headers: { 'mcp-method': 'tools/list' } }, 400, -32020],
    ['4: the method in other case', { headers: { 'mcp-method': 'TOOLS/CALL' } }, 400, -32020],
    ['4: the method twice', { headers: { 'mcp-method': 'tools/call,tools/call' } }, 400, -32020],
    ['5: an unknown method', { method: 'nope/nope' }, 404, -32601],
    ['5: a method of objects', { method: 'constructor' }, 404, -32601],
    ['6: no name header', { headers: { 'mcp-name': undefined } }, 400, -32020],
    ['6: another name in the header', { headers: { 'mcp-name': 'fail' } }, 400, -32020],
    ['6: the name in other case', { headers: { 'mcp-name': 'Echo' } }, 400, -32020],
    ['6: a header for a name that the body lacks', { params: {}, headers: { 'mcp-name': 'echo' } }, 400, -32020],
    ['8: a capability that is not declared', { params: { name: 'sampler' } }, 400, -32021],
    ['9: a name that neither has', { params: {} }, 200, -32602],
    ['9: an unknown tool', { params: { name: 'nope' } }, 200, -32602],
  ])('rung %s', async (_, over, status, code) => {
    const answer = await call(over);
    expect([answer.status, answer.json.id, answer.json.error?.code]).toEqual([status, 5, code]);
  });

  it('lists the supported versions', async () => {
    const answer = await call({ meta: { [VERSION]: 'v9' }, headers: { 'mcp-protocol-version': 'v9' } });
    expect(answer.json.error.data).toEqual({ supported: ['2026-07-28'], requested: 'v9' });
  });

  it('names the capability that is missing as a client would declare it', async () => {
    const answer = await call({ params: { name: 'sampler' } });
    expect(answer.json.error.data).toEqual({ requiredCapabilities: { sampling: {} } });
  });

  it('does not need to know the client', async () => {
    expect((await call({})).json.result.content).toEqual([{ type: 'text', text: '{}' }]);
  });

  it('strips spaces around header values and accepts header names in any case', async () => {
    const headers = {
      'mcp-name': undefined,
      'Mcp-Name': '  echo ',
      'mcp-method': ' tools/call',
      'mcp-protocol-version': `${STATELESS} `,
    };
    expect((await call({ headers })).status).toBe(200);
  });

  it('the first failing check of the specification determines the answer', async () => {
    const answer = await call({ method: 'nope', headers: { 'mcp-method': 'other' } });
    expect(answer.json.error.code).toBe(-32020);
  });

  it('notifications skip the method header', async () => {
    const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, _meta: claim } };
    expect((await rig.post(message, { headers: STATELESS_HEADER })).status).toBe(202);
    const contradicting = await rig.post(message, { headers: { 'mcp-protocol-version': LATEST } });
    expect([contradicting.status, contradicting.json.error.code, 'id' in contradicting.json]).toEqual([
      400,
      -32020,
      false,
    ]);
  });

  it('a session id is ignored, and is not created', async () => {
    const answer = await call({ headers: { 'mcp-session-id': 'whatever' } });
    expect([answer.status, answer.headers['mcp-session-id']]).toEqual([200, undefined]);
  });
});
