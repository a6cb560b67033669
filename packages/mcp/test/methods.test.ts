import { Rig } from './support/rig.js';
import { registerAll } from './support/server.js';

const rig = new Rig({ register: registerAll });
const empty = new Rig();
const RESULT_OF = { 'io.modelcontextprotocol/serverInfo': { name: 'tested', version: '1.0.0' } };

const METHODS: readonly [string, object][] = [
  ['tools/list', {}],
  ['tools/call', { name: 'echo' }],
  ['prompts/list', {}],
  ['prompts/get', { name: 'greet', arguments: { name: 'Ada' } }],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri: 'notes://index' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: '' } }],
];

describe.each(METHODS)('%s', (method, params) => {
  it('is served in both eras', async () => {
    const session = await (await rig.connect()).request(method, params);
    expect(session.json.result).toBeDefined();
    expect(session.json.result).not.toHaveProperty('resultType');
    expect(session.json.result).not.toHaveProperty('ttlMs');
    const stateless = await rig.stateless(method, params);
    expect(stateless.json.result).toMatchObject({ resultType: 'complete', _meta: RESULT_OF });
  });

  it('is unknown while nothing is registered for it', async () => {
    const session = await (await empty.connect()).request(method, params);
    expect([session.status, session.json.error.code]).toEqual([200, -32601]);
    const stateless = await empty.stateless(method, params);
    expect([stateless.status, stateless.json.error.code]).toEqual([404, -32601]);
  });
});

describe('methods of one era', () => {
  it.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'subscriptions/listen',
  ])('%s is unknown to the stateless era at a buffered door', async (method) => {
    const answer = await rig.stateless(method, {});
    expect([answer.status, answer.json.error.code]).toEqual([404, -32601]);
  });

  it.each([
    'server/discover',
    'subscriptions/listen',
    'tasks/get',
    'tasks/list',
    'resources/subscribe',
    'initialized',
    'toString',
  ])('%s is unknown to the session era without changes', async (method) => {
    const answer = await (await rig.connect()).request(method);
    expect([answer.status, answer.json.error.code]).toEqual([200, -32601]);
  });
});

describe('server/discover', () => {
  it('names the supported versions and capabilities', async () => {
    const described = new Rig({
      register: registerAll,
      server: { instructions: 'Ask.', extensions: { 'com.example/x': { on: true } } },
    });
    const answer = await described.stateless('server/discover');
    expect(answer.json.result).toEqual({
      supportedVersions: ['2026-07-28'],
      capabilities: {
        tools: {},
        prompts: {},
        resources: {},
        logging: {},
        completions: {},
        extensions: { 'com.example/x': { on: true } },
      },
      instructions: 'Ask.',
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: RESULT_OF,
    });
  });

  it('declares no capability without a registration', async () => {
    const quiet = new Rig({ server: { logging: false } });
    expect((await quiet.stateless('server/discover')).json.result.capabilities).toEqual({});
    const answer = await quiet.connect();
    expect((await answer.request('logging/setLevel', { level: 'info' })).json.error.code).toBe(-32601);
  });

  it('declares notifications of changes where the front door can send them', async () => {
    const live = new Rig({ register: registerAll, server: { changes: true }, streaming: true });
    const listed = { listChanged: true };
    const wanted = { tools: listed, prompts: listed, resources: { subscribe: true, ...listed } };
    expect((await live.stateless('server/discover')).json.result.capabilities).toMatchObject(wanted);
    const buffered = await live.stateless('server/discover', {}, { streaming: false });
    expect(buffered.json.result.capabilities).toMatchObject({ tools: {}, prompts: {}, resources: {} });
    expect(buffered.text).not.toContain('listChanged');
  });
});

describe('a template is enough for', () => {
  const templated = new Rig({
    register: (server) => server.resourceTemplate('a://{x}', { name: 'a' }, ({ x = '' }) => x),
  });

  it.each([
    ['resources/list', {}, { resources: [] }],
    ['resources/templates/list', {}, { resourceTemplates: [{ uriTemplate: 'a://{x}', name: 'a' }] }],
    ['resources/read', { uri: 'a://b%20c' }, { contents: [{ uri: 'a://b%20c', text: 'b c' }] }],
  ])('%s', async (method, params, result) => {
    expect((await (await templated.connect()).request(method, params)).json.result).toEqual(result);
  });
});

describe('what goes wrong', () => {
  it.each([
    ['an unknown tool', 'tools/call', { name: 'nope' }, -32602, -32602],
    ['a tool of objects', 'tools/call', { name: 'constructor' }, -32602, -32602],
    ['a tool named __proto__', 'tools/call', { name: '__proto__' }, -32602, -32602],
    ['a tool without a name', 'tools/call', {}, -32602, -32602],
    ['an unknown prompt', 'prompts/get', { name: 'nope' }, -32602, -32602],
    ['a missing prompt argument', 'prompts/get', { name: 'greet' }, -32602, -32602],
    ['a prompt argument of objects', 'prompts/get', { name: 'greet', arguments: { name: 5 } }, -32602, -32602],
    ['an unknown resource', 'resources/read', { uri: 'notes://nope' }, -32002, -32602],
    ['a resource that a template does not find', 'resources/read', { uri: 'notes://gone/text' }, -32002, -32602],
    ['a resource without a URI', 'resources/read', {}, -32602, -32602],
    ['a resource that fails', 'resources/read', { uri: 'notes://broken' }, -32603, -32603],
    ['a bad cursor', 'tools/list', { cursor: 'zzz' }, -32602, -32602],
    [
      'an unknown completion',
      'completion/complete',
      { ref: { type: 'ref/x' }, argument: { name: 'a', value: '' } },
      -32602,
      -32602,
    ],
    ['a malformed completion', 'completion/complete', {}, -32602, -32602],
  ])('%s', async (_, method, params, session, stateless) => {
    expect((await (await rig.connect()).request(method, params)).json.error.code).toBe(session);
    const answer = await rig.stateless(method, params);
    expect([answer.status, answer.json.error.code]).toEqual([200, stateless]);
    expect(answer.text).not.toContain('hunter2');
  });

  it.each([
    ['a list', []],
    ['text', 'a'],
    ['JSON text of a list', '[]'],
    ['a number', 5],
    ['JSON text that nests too deeply', `{"a":${'['.repeat(70)}${']'.repeat(70)}}`],
  ])('arguments that are %s are an error that the model sees', async (_, args) => {
    const wanted = { content: [{ type: 'text', text: 'Invalid arguments: /: type object' }], isError: true };
    expect((await (await rig.connect()).request('tools/call', { name: 'echo', arguments: args })).json.result).toEqual(
      wanted,
    );
    expect((await rig.stateless('tools/call', { name: 'echo', arguments: args })).json.result).toMatchObject(wanted);
  });

  it('arguments that are JSON text of an object are read, because models send them', async () => {
    const args = '{"a":1,"b":2}';
    const session = await rig.connect();
    expect(
      (await session.request('tools/call', { name: 'add', arguments: args })).json.result.structuredContent,
    ).toEqual({ sum: 3 });
    const { result } = (await rig.stateless('tools/call', { name: 'add', arguments: args })).json;
    expect(result.structuredContent).toEqual({ sum: 3 });
  });

  it.each(['', null])('the cursor %j means the first page, because clients send it', async (cursor) => {
    const first = (await rig.stateless('tools/list')).json.result.tools;
    expect((await rig.stateless('tools/list', { cursor })).json.result.tools).toEqual(first);
    expect((await (await rig.connect()).request('tools/list', { cursor })).json.result.tools).toEqual(first);
  });

  it('an unknown resource is named', async () => {
    const params = { uri: 'notes://nope' };
    expect((await (await rig.connect()).request('resources/read', params)).json.error.data).toEqual(params);
    expect((await rig.stateless('resources/read', params)).json.error.data).toEqual(params);
  });

  it('an unknown log level is rejected', async () => {
    const session = await rig.connect();
    expect((await session.request('logging/setLevel', { level: 'loud' })).json.error.code).toBe(-32602);
    expect((await session.request('logging/setLevel', {})).json.error.code).toBe(-32602);
  });

  it('arguments against a JSON Schema are named by path and rule, never by value', async () => {
    const args = { a: 'secret-value' };
    const wanted = {
      content: [{ type: 'text', text: 'Invalid arguments: /b: required; /a: type number' }],
      isError: true,
    };
    expect((await (await rig.connect()).call('add', args)).json.result).toEqual(wanted);
    const stateless = await rig.stateless('tools/call', { name: 'add', arguments: args });
    expect(stateless.json.result).toMatchObject(wanted);
    expect(stateless.text).not.toContain('secret-value');
  });

  it('the exception of a tool is hidden, except from its request', async () => {
    const answer = await (await rig.connect()).call('fail');
    const { text } = answer.json.result.content[0];
    expect(answer.json.result.isError).toBe(true);
    expect(text).toMatch(/^Tool failed \(request request-\d+\)$/);
    expect(answer.text).not.toContain('hunter2');
  });

  it('the message of a McpToolError is shown', async () => {
    expect((await (await rig.connect()).call('refuse')).json.result).toEqual({
      content: [{ type: 'text', text: 'No such note.' }],
      isError: true,
    });
  });

  it('a result against the output schema is an error, and logged', async () => {
    const broken = new Rig({
      register: (server) => {
        server.tool('t', { output: { type: 'object', required: ['sum'] } }, () => ({ structured: { other: 1 } }));
        server.tool('none', { output: { type: 'object' } }, () => 'only text' as never);
      },
    });
    const session = await broken.connect();
    for (const name of ['t', 'none']) {
      const { result } = (await session.call(name)).json;
      expect(result).toMatchObject({ isError: true });
      expect(result.content[0].text).toMatch(/^Tool returned an invalid result \(request request-\d+\)$/);
    }
  });

  it('a handler that returns nothing usable fails like a handler that throws', async () => {
    const odd = new Rig({
      register: (server) => {
        server.tool('t', {}, () => undefined as never);
        server.prompt('p', {}, () => 5 as never);
        server.resource('a://b', { name: 'b' }, () => 5 as never);
      },
    });
    const session = await odd.connect();
    expect((await session.call('t')).json.result.isError).toBe(true);
    expect((await session.request('prompts/get', { name: 'p' })).json.error).toEqual({
      code: -32603,
      message: 'Internal error',
    });
    expect((await session.request('resources/read', { uri: 'a://b' })).json.error.code).toBe(-32603);
  });

  it('a client that lacks a capability receives a plain message, in the stateless era with the capability', async () => {
    const session = await rig.connect({ capabilities: {} });
    expect((await session.call('sampler')).json.result).toEqual({
      content: [{ type: 'text', text: 'This needs a client that supports sampling.' }],
      isError: true,
    });
    expect((await session.call('ask')).json.result.content[0].text).toBe(
      'This needs a client that supports elicitation.',
    );
    const answer = await rig.stateless('tools/call', { name: 'ask' });
    expect([answer.status, answer.json.error]).toEqual([
      400,
      {
        code: -32021,
        message: 'Missing required client capability',
        data: { requiredCapabilities: { elicitation: {} } },
      },
    ]);
  });

  it('a prompt that needs a capability is an error of its parameters', async () => {
    const prompted = new Rig({ register: (server) => server.prompt('p', { requires: ['roots'] }, () => 'x') });
    const session = await prompted.connect({ capabilities: {} });
    expect((await session.request('prompts/get', { name: 'p' })).json.error.code).toBe(-32602);
  });

  it('a scope that the caller lacks is 403 in the shape of the framework, without a challenge', async () => {
    const session = await rig.connect();
    const answers = [await session.call('scoped'), await rig.stateless('tools/call', { name: 'scoped' })];
    for (const answer of answers) {
      expect([answer.status, answer.json.error.code]).toEqual([403, 'app.forbidden']);
      expect(answer.headers).not.toHaveProperty('www-authenticate');
    }
  });

  it('reserved codes are not sent', async () => {
    const text = (await rig.stateless('resources/read', { uri: 'notes://nope' })).text;
    expect(text).not.toMatch(/-32000|-32002|-32042/);
  });
});

describe('results', () => {
  it('keep all members that a handler sets', async () => {
    const full = {
      content: [{ type: 'text' as const, text: '  spaces stay \n', annotations: { priority: 0.5 }, _meta: { a: 1 } }],
      _meta: { 'com.example/trace': 'x' },
    };
    const kept = new Rig({ register: (server) => server.tool('t', {}, () => full) });
    expect((await (await kept.connect()).call('t')).json.result).toEqual(full);
    const { result } = (await kept.stateless('tools/call', { name: 't' })).json;
    expect(result._meta).toEqual({ 'com.example/trace': 'x', ...RESULT_OF });
  });

  it('bytes of a resource are base64', async () => {
    const bytes = new Rig({
      register: (server) => server.resource('a://b', { name: 'b', mimeType: 'image/png' }, () => Uint8Array.of(0, 255)),
    });
    const { result } = (await (await bytes.connect()).request('resources/read', { uri: 'a://b' })).json;
    expect(result).toEqual({ contents: [{ uri: 'a://b', mimeType: 'image/png', blob: 'AP8=' }] });
  });

  it('caching hints come from the server, or from the item, and only in the stateless era', async () => {
    const cached = new Rig({
      server: { cache: { ttlMs: 60_000, scope: 'public' } },
      register: (server) => {
        server.resource('a://b', { name: 'b' }, () => 'b');
        server.resource('a://c', { name: 'c', cache: { ttlMs: 5 } }, () => 'c');
      },
    });
    const hints = async (method: string, params: object) => {
      const { ttlMs, cacheScope } = (await cached.stateless(method, params)).json.result;
      return [ttlMs, cacheScope];
    };
    expect(await hints('resources/list', {})).toEqual([60_000, 'public']);
    expect(await hints('resources/read', { uri: 'a://b' })).toEqual([60_000, 'public']);
    expect(await hints('resources/read', { uri: 'a://c' })).toEqual([5, 'private']);
    expect(await hints('resources/read', { uri: 'a://b', inputResponses: {} })).toEqual([0, 'private']);
    expect((await (await cached.connect()).request('resources/list')).json.result).not.toHaveProperty('ttlMs');
  });
});

describe('completion/complete', () => {
  const complete = async (target: Rig, ref: object, name: string, value: string) => {
    const params = { ref, argument: { name, value } };
    return (await (await target.connect()).request('completion/complete', params)).json.result.completion;
  };

  it('offers what begins like the value', async () => {
    expect(await complete(rig, { type: 'ref/prompt', name: 'greet' }, 'name', 'ad')).toEqual({
      values: ['Ada'],
      hasMore: false,
    });
    const ref = { type: 'ref/resource', uri: 'notes://{id}/text' };
    expect(await complete(rig, ref, 'id', '7')).toEqual({ values: ['7', '71'], hasMore: false });
  });

  it('shows at most a hundred values', async () => {
    const many = Array.from({ length: 250 }, (_, index) => `v${index}`);
    const crowd = new Rig({
      register: (server) =>
        server.prompt('p', { args: { a: { complete: many }, b: { complete: () => many } } }, () => ''),
    });
    for (const name of ['a', 'b']) {
      const { values, total, hasMore } = await complete(crowd, { type: 'ref/prompt', name: 'p' }, name, '');
      expect([values.length, total, hasMore]).toEqual([100, 250, true]);
    }
  });

  it('passes the other arguments and the caller to a function', async () => {
    const asked = new Rig({
      register: (server) =>
        server.prompt(
          'p',
          { args: { a: { complete: (value, args, ctx) => [`${value}-${args.b}-${ctx.principal?.identity}`] } } },
          () => '',
        ),
    });
    const params = {
      ref: { type: 'ref/prompt', name: 'p' },
      argument: { name: 'a', value: 'v' },
      context: { arguments: { b: 'w' } },
    };
    const session = await asked.connect({ user: 'ada' });
    const answer = await session.request('completion/complete', params, { user: 'ada' });
    expect(answer.json.result.completion.values).toEqual(['v-w-ada']);
  });
});

describe('lists', () => {
  const paged = (pageSize: number, extra = '') =>
    new Rig({
      server: { pageSize },
      register: (server) => {
        for (let index = 0; index < 5; index += 1) server.tool(`t${index}${extra}`, {}, () => '');
      },
    });

  it('are paged in order of registration', async () => {
    const session = await paged(2).connect();
    const names: string[] = [];
    let cursor: string | undefined;
    const sizes: number[] = [];
    do {
      const { tools, nextCursor } = (await session.request('tools/list', cursor === undefined ? {} : { cursor })).json
        .result;
      names.push(...tools.map(({ name }: { name: string }) => name));
      sizes.push(tools.length);
      cursor = nextCursor;
    } while (cursor !== undefined);
    expect([names, sizes]).toEqual([
      ['t0', 't1', 't2', 't3', 't4'],
      [2, 2, 1],
    ]);
  });

  it('accept a cursor only from an equal server', async () => {
    const { nextCursor } = (await (await paged(2).connect()).request('tools/list')).json.result;
    expect((await paged(2).stateless('tools/list', { cursor: nextCursor })).json.result.tools).toHaveLength(2);
    expect((await paged(2, 'x').stateless('tools/list', { cursor: nextCursor })).json.error.code).toBe(-32602);
    const forged = nextCursor.replace(/^1/, '2');
    expect((await paged(2).stateless('tools/list', { cursor: forged })).json.error.code).toBe(-32602);
    expect((await paged(2).stateless('prompts/list', { cursor: nextCursor })).status).toBe(404);
  });

  it('work without a secret', async () => {
    const server = { pageSize: 1, secret: undefined as never, store: null };
    const bare = new Rig({
      server,
      register: (made) => {
        made.tool('a', {}, () => '');
        made.tool('b', {}, () => '');
      },
    });
    const { nextCursor } = (await bare.stateless('tools/list')).json.result;
    const second = await bare.stateless('tools/list', { cursor: nextCursor });
    expect(second.json.result.tools).toEqual([{ name: 'b', inputSchema: { type: 'object' } }]);
  });

  it('can be filtered by caller, and are private then', async () => {
    const filtered = new Rig({
      server: {
        cache: { ttlMs: 1000, scope: 'public' },
        listFilter: (ctx, { scopes }) => scopes.every((scope) => ctx.principal?.scopes?.includes(scope)),
      },
      register: (server) => {
        server.tool('open', {}, () => '');
        server.tool('read', { scopes: ['notes:read'] }, () => '');
        server.tool('write', { scopes: ['notes:write'] }, () => '');
      },
    });
    const names = async (user?: string) => {
      const { result } = (await filtered.stateless('tools/list', {}, user === undefined ? {} : { user })).json;
      expect(result.cacheScope).toBe('private');
      return result.tools.map(({ name }: { name: string }) => name);
    };
    expect(await names()).toEqual(['open']);
    expect(await names('ada')).toEqual(['open', 'read']);
  });
});
