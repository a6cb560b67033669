import { Public, SecureApp } from '@sallyport/secure';
import { LATEST, Rig, SECRET, STATELESS, toEvent } from './support/rig.js';
import { registerAll } from './support/server.js';

const rig = new Rig({ register: registerAll });
const sealed = new Rig({ register: registerAll, server: { sessions: 'sealed' } });
const none = new Rig({ register: registerAll, server: { sessions: 'none' } });
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const INIT = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: LATEST, capabilities: {}, clientInfo: { name: 'a', version: '1' } },
};

describe('before the era is known', () => {
  it.each([
    ['another origin', { origin: 'https://evil.example' }, LIST, 403, -32600],
    ['another content type', { 'content-type': 'text/plain' }, LIST, 415, -32600],
    ['a content type of the JSON family', { 'content-type': 'application/json-rpc' }, LIST, 415, -32600],
    ['no content type', { 'content-type': '' }, LIST, 415, -32600],
    ['no JSON', {}, '{', 400, -32700],
    ['no JSON-RPC', {}, '{}', 400, -32600],
  ])('%s is answered with an error', async (_, headers, body, status, code) => {
    const answer = await rig.post(body, { headers });
    expect([answer.status, answer.json.error.code, answer.json.id]).toEqual([status, code, null]);
  });

  it('the origin is checked first, then type, then size, then syntax', async () => {
    const small = new Rig({ server: { maxBodyBytes: 2 } });
    const origin = { origin: 'https://evil.example' };
    expect((await small.post('{{{', { headers: { ...origin, 'content-type': 'text/plain' } })).status).toBe(403);
    expect((await small.post('{{{', { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await small.post('{{{')).status).toBe(413);
    expect((await small.post('{{')).json.error.code).toBe(-32700);
  });

  it('a body is measured in bytes', async () => {
    const small = new Rig({ server: { maxBodyBytes: 4 } });
    expect((await small.post('"é"')).status).toBe(400);
    expect((await small.post('"éé"')).status).toBe(413);
  });

  it('content types accept parameters and any case', async () => {
    const answer = await rig.post(INIT, { headers: { 'content-type': 'Application/JSON; charset=utf-8' } });
    expect(answer.status).toBe(200);
  });

  it('a method that is not one of the three is not allowed', async () => {
    const { status } = await rig.send('PUT', '{}');
    expect(status).toBe(405);
    const app = new SecureApp({ log: false });
    app.handle('PATCH', '/mcp', rig.server().handler, Public());
    expect(await app.serveLambdaFunctionURL(toEvent('PATCH', '{}', {}))).toMatchObject({
      statusCode: 405,
      headers: { allow: 'POST, GET, DELETE' },
    });
  });
});

describe('initialize', () => {
  it('makes a session and answers JSON', async () => {
    const answer = await rig.post(INIT);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(answer.headers['mcp-session-id']).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(answer.json.result).toEqual({
      protocolVersion: LATEST,
      capabilities: { tools: {}, prompts: {}, resources: {}, logging: {}, completions: {} },
      serverInfo: { name: 'tested', version: '1.0.0' },
    });
  });

  it('ignores a stale session id', async () => {
    const answer = await rig.post(INIT, { headers: { 'mcp-session-id': 'stale' } });
    expect(answer.status).toBe(200);
    expect(answer.headers['mcp-session-id']).not.toBe('stale');
  });

  it.each([
    ['2025-03-26', '2025-03-26'],
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2024-11-05', '2025-11-25'],
    ['2099-01-01', '2025-11-25'],
    ['', '2025-11-25'],
  ])('that offers %p gets %s', async (offered, got) => {
    const answer = await rig.post({ ...INIT, params: { ...INIT.params, protocolVersion: offered } });
    expect(answer.json.result.protocolVersion).toBe(got);
  });

  it.each([
    ['no version', { protocolVersion: undefined }],
    ['capabilities that are a text', { capabilities: 'all' }],
    ['a client that is a list', { clientInfo: [] }],
  ])('with %s is malformed', async (_, over) => {
    const answer = await rig.post({ ...INIT, params: { ...INIT.params, ...over } });
    expect([answer.status, answer.json.error.code]).toEqual([200, -32602]);
    expect(answer.headers['mcp-session-id']).toBeUndefined();
  });
});

describe('a POST of the session era', () => {
  it('needs a session id', async () => {
    const answer = await rig.post(LIST);
    expect([answer.status, answer.json.id, answer.json.error.code]).toEqual([400, 1, -32600]);
  });

  it.each([
    ['is unknown', 'A'.repeat(43)],
    ['has characters that no id has', 'a b'],
    ['names a prototype', '__proto__'],
  ])('with an id that %s finds no session', async (_, id) => {
    const answer = await rig.post(LIST, { headers: { 'mcp-session-id': id } });
    expect([answer.status, answer.json]).toEqual([
      404,
      { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Session not found' } },
    ]);
  });

  it.each(['2024-11-05', '2025-11-25,2025-11-25', 'x'])('with the version header %p is rejected', async (version) => {
    const session = await rig.connect();
    const answer = await session.request('ping', {}, { headers: { 'mcp-protocol-version': version } });
    expect([answer.status, answer.json.error.code]).toEqual([400, -32600]);
  });

  it('without a version header is served', async () => {
    const session = await rig.connect();
    const answer = await rig.post(LIST, { headers: { 'mcp-session-id': session.id } });
    expect(answer.status).toBe(200);
  });

  it('with only a result is JSON', async () => {
    const answer = await (await rig.connect()).call('echo');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
  });

  it('with events before the result is a stream that begins with an id', async () => {
    const answer = await (await rig.connect()).call('report', {}, { meta: { progressToken: 'p' } });
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    expect(answer.headers).not.toHaveProperty('connection');
    const [priming, progress, log, result] = answer.events;
    expect(priming).toEqual({ id: expect.stringMatching(/^[A-Za-z0-9_-]{12}\.0$/), data: '' });
    expect(progress?.data).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: 1, total: 2, message: 'half' },
    });
    expect(log?.data).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', logger: 'reporter', data: { at: 'half' } },
    });
    expect(result?.data.result).toEqual({ content: [{ type: 'text', text: 'reported' }] });
  });

  it.each(['2025-03-26', '2025-06-18'])('of revision %s has no event without data', async (version) => {
    const answer = await (await rig.connect({ version })).call('report');
    expect(answer.events.map(({ id }) => id)).toEqual([undefined, undefined]);
  });

  it('that breaks the protocol is answered with JSON, regardless of the preference of the client', async () => {
    const answer = await (await rig.connect()).request('nope', {}, { headers: { accept: 'text/event-stream' } });
    expect([answer.status, answer.headers['content-type'], answer.json.error.code]).toEqual([
      200,
      'application/json',
      -32601,
    ]);
  });

  it.each(['notifications/initialized', 'notifications/cancelled', 'notifications/nobody/knows'])(
    'with %s is accepted',
    async (method) => {
      const answer = await (await rig.connect()).notify(method);
      expect([answer.status, answer.text]).toEqual([202, '']);
    },
  );

  it.each(['unknown', 'AAAAAAAAAAAA.q1', 5])('with an answer to the unknown request %p is accepted', async (id) => {
    const answer = await (await rig.connect()).answer(id, {});
    expect([answer.status, answer.text]).toEqual([202, '']);
  });
});

describe('accepted response types', () => {
  it.each([
    ['', 200, 'application/json'],
    ['*/*', 200, 'application/json'],
    ['application/*', 200, 'application/json'],
    ['application/json', 200, 'application/json'],
    ['text/event-stream', 200, 'text/event-stream'],
    ['application/json, text/event-stream', 200, 'application/json'],
    ['application/json;q=0.5, text/html', 200, 'application/json'],
    ['text/event-stream, application/json', 200, 'text/event-stream'],
    ['text/html', 406, 'application/json'],
    ['application/json;q=0', 406, 'application/json'],
  ])('%p gets %d %s', async (accept, status, type) => {
    const answer = await (await rig.connect()).call('echo', {}, { headers: { accept } });
    expect([answer.status, answer.headers['content-type']]).toEqual([status, type]);
    const stateless = await rig.stateless('tools/call', { name: 'echo' }, { headers: { accept } });
    expect([stateless.status, stateless.headers['content-type']]).toEqual([status, type]);
  });

  it('JSON alone loses events and allows no questions', async () => {
    const session = await rig.connect({ accept: 'application/json' });
    expect((await session.call('report', {}, { meta: { progressToken: 1 } })).json.result.content[0].text).toBe(
      'reported',
    );
    expect((await session.call('ask')).json.result).toEqual({
      content: [{ type: 'text', text: 'This client does not support input requests here.' }],
      isError: true,
    });
  });
});

describe('GET', () => {
  it('without a last event is not allowed at a buffered door', async () => {
    const session = await rig.connect();
    const answer = await rig.send('GET', undefined, session.sent({ headers: { accept: 'text/event-stream' } }));
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST, DELETE']);
  });

  it.each([
    ['malformed', 'abc', 400],
    ['with too short a stream', 'AAAA.1', 400],
    ['with a negative number', 'AAAAAAAAAAAA.-1', 400],
    ['unknown', 'AAAAAAAAAAAA.1', 405],
  ])('with a last event id that is %s', async (_, id, status) => {
    expect((await (await rig.connect()).resume(id)).status).toBe(status);
  });

  it('needs a session id, and a known one', async () => {
    // Some clients open a listener before their session exists; to them 400 is an error, and 405 is not.
    const early = await rig.send('GET', undefined, { headers: { accept: 'text/event-stream' } });
    expect([early.status, early.headers.allow]).toEqual([405, 'POST, DELETE']);
    const resuming = { accept: 'text/event-stream', 'last-event-id': 'AAAAAAAAAAAA.1' };
    expect((await rig.send('GET', undefined, { headers: resuming })).status).toBe(400);
    const headers = { accept: 'text/event-stream', 'mcp-session-id': 'nope' };
    expect((await rig.send('GET', undefined, { headers })).status).toBe(404);
  });

  it('is for clients that accept event streams', async () => {
    const session = await rig.connect();
    expect((await rig.send('GET', undefined, session.sent({ headers: { accept: 'application/json' } }))).status).toBe(
      406,
    );
  });

  it('is not allowed without sessions', async () => {
    expect((await none.send('GET', undefined)).status).toBe(405);
  });
});

describe('DELETE', () => {
  it('ends a durable session', async () => {
    const session = await rig.connect();
    expect((await session.delete()).status).toBe(200);
    expect((await session.request('ping')).status).toBe(404);
    expect((await session.delete()).status).toBe(404);
  });

  it('needs a session id, and a known one', async () => {
    expect((await rig.send('DELETE', undefined)).status).toBe(400);
    expect((await rig.send('DELETE', undefined, { headers: { 'mcp-session-id': 'nope' } })).status).toBe(404);
  });

  it('is not allowed for sealed sessions, nor without sessions', async () => {
    const session = await sealed.connect();
    const answer = await session.delete();
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
    expect((await none.send('DELETE', undefined)).status).toBe(405);
  });
});

describe('without sessions', () => {
  it('a POST is served without an id, and with an id from a proxy', async () => {
    expect((await none.post(LIST)).status).toBe(200);
    expect((await none.post(LIST, { headers: { 'mcp-session-id': 'added-by-a-proxy' } })).status).toBe(200);
  });

  it('initialize returns no id', async () => {
    const answer = await none.post(INIT);
    expect([answer.status, answer.headers['mcp-session-id']]).toEqual([200, undefined]);
  });

  it('no questions can be sent', async () => {
    const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask' } };
    expect((await none.post(rpc)).json.result.isError).toBe(true);
  });
});

describe('the stateless era', () => {
  const bare = new Rig({ register: registerAll, server: { store: null, secret: SECRET } });

  it('is served with JSON, needs no store and makes no session', async () => {
    const answer = await bare.stateless('tools/call', { name: 'echo', arguments: { a: 1 } }, { id: 'x' });
    expect([answer.status, answer.headers['mcp-session-id']]).toEqual([200, undefined]);
    expect(answer.json).toEqual({
      jsonrpc: '2.0',
      id: 'x',
      result: {
        content: [{ type: 'text', text: '{"a":1}' }],
        resultType: 'complete',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'tested', version: '1.0.0' } },
      },
    });
  });

  it('streams events before the result, without ids', async () => {
    const meta = { progressToken: 3, 'io.modelcontextprotocol/logLevel': 'info' };
    const answer = await bare.stateless('tools/call', { name: 'report' }, { meta });
    expect(answer.events.map(({ data }) => data.method ?? data.result.resultType)).toEqual([
      'notifications/progress',
      'notifications/message',
      'complete',
    ]);
    expect(answer.text).not.toMatch(/^(id|retry):/m);
  });

  it('logs nothing without a log level, and nothing below the level', async () => {
    expect((await bare.stateless('tools/call', { name: 'report' })).json.result.resultType).toBe('complete');
    const meta = { 'io.modelcontextprotocol/logLevel': 'warning' };
    expect((await bare.stateless('tools/call', { name: 'report' }, { meta })).json.result.resultType).toBe('complete');
  });

  it('rejects an unknown log level', async () => {
    const meta = { 'io.modelcontextprotocol/logLevel': 'loud' };
    expect((await bare.stateless('tools/call', { name: 'report' }, { meta })).json.error.code).toBe(-32602);
  });

  it('notifications are accepted', async () => {
    const headers = { 'mcp-protocol-version': STATELESS };
    const answer = await bare.post({ jsonrpc: '2.0', method: 'notifications/x' }, { headers });
    expect([answer.status, answer.text]).toEqual([202, '']);
  });
});
