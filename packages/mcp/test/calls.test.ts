import type { Logger, MetricRecord } from '@sallyport/core';
import { ManualClock } from '@sallyport/core/testing';
import { type CallLimiter, limitCalls, limitTime, logCalls, measureCalls } from '../src/calls.js';
import { type CallEnd, type McpCall, type McpServer, McpToolError, type OnCall } from '../src/index.js';
import { Rig, type RigOptions } from './support/rig.js';

const FORM = { type: 'object' as const, properties: { name: { type: 'string' } } };
const ACCEPT = { action: 'accept', content: { name: 'Ada' } };

/** Calls and outcomes that hooks received, in order. */
function watching(options: RigOptions = {}) {
  const seen: { call: McpCall; end: CallEnd }[] = [];
  const watch: OnCall = async (call, next) => {
    const end = await next();
    await new Promise((resolve) => setImmediate(resolve));
    seen.push({ call, end });
  };
  const rig = new Rig({ register, ...options, server: { onCall: watch, ...options.server } });
  return { rig, seen };
}

function register(server: McpServer): void {
  server.tool('ok', { scopes: [] }, () => 'fine');
  server.tool('refuse', {}, () => {
    throw new McpToolError('No.');
  });
  server.tool('says', {}, () => ({ content: [], isError: true }));
  server.tool('crash', {}, () => {
    throw new Error('hunter2');
  });
  server.tool('typed', { input: { type: 'object', required: ['a'] } }, () => 'fine');
  server.tool('ask', { asks: ['elicitation'] }, async (_, ctx) => {
    const { content } = await ctx.elicit({ message: 'Name?', requestedSchema: FORM });
    return `Hello ${content?.name}`;
  });
  server.tool('returns', { asks: ['elicitation'] }, (_, ctx) => {
    const request = { method: 'elicitation/create' as const, params: { message: 'Name?', requestedSchema: FORM } };
    return ctx.inputs.name ? 'Hello' : ctx.inputRequired({ name: request });
  });
  server.resource('notes://index', { name: 'index' }, () => 'all');
  server.resourceTemplate('notes://{id}', { name: 'note' }, ({ id }) => (id === 'gone' ? undefined : id));
  server.prompt('greet', { args: { name: { required: true } } }, ({ name }) => `Greet ${name}.`);
}

const kinds = (seen: readonly { call: McpCall; end: CallEnd }[]) =>
  seen.map(({ call: { kind, name, target, method }, end: { outcome } }) => [kind, name, target, method, outcome]);

describe('a hook', () => {
  it.each([
    ['tools/call', { name: 'ok' }, ['tool', 'ok', 'ok', 'tools/call', 'ok']],
    ['tools/call', { name: 'refuse' }, ['tool', 'refuse', 'refuse', 'tools/call', 'tool_error']],
    ['tools/call', { name: 'says' }, ['tool', 'says', 'says', 'tools/call', 'tool_error']],
    ['tools/call', { name: 'crash' }, ['tool', 'crash', 'crash', 'tools/call', 'failed']],
    ['tools/call', { name: 'typed' }, ['tool', 'typed', 'typed', 'tools/call', 'tool_error']],
    ['tools/call', { name: 'ask' }, ['tool', 'ask', 'ask', 'tools/call', 'asked']],
    ['tools/call', { name: 'returns' }, ['tool', 'returns', 'returns', 'tools/call', 'asked']],
    [
      'resources/read',
      { uri: 'notes://index' },
      ['resource', 'notes://index', 'notes://index', 'resources/read', 'ok'],
    ],
    ['resources/read', { uri: 'notes://7' }, ['resource', 'notes://7', 'notes://{id}', 'resources/read', 'ok']],
    [
      'resources/read',
      { uri: 'notes://gone' },
      ['resource', 'notes://gone', 'notes://{id}', 'resources/read', 'failed'],
    ],
    ['prompts/get', { name: 'greet', arguments: { name: 'x' } }, ['prompt', 'greet', 'greet', 'prompts/get', 'ok']],
  ])('of %s %j receives %j, in both eras, before the answer', async (method, params, expected) => {
    const { rig, seen } = watching();
    const session = await (await rig.connect()).request(method, params);
    expect(kinds(seen)).toEqual([expected]);
    const stateless = await rig.stateless(method, params, { capabilities: { elicitation: {} } });
    expect(kinds(seen)).toEqual([expected, expected]);
    expect([session.status, stateless.status]).toEqual([200, 200]);
    expect(rig.violations).toEqual([]);
  });

  it('does not change an answer that it only observes', async () => {
    const calls = [
      ['tools/call', { name: 'ok' }],
      ['tools/call', { name: 'refuse' }],
      ['tools/call', { name: 'crash' }],
      ['resources/read', { uri: 'notes://gone' }],
      ['prompts/get', { name: 'greet', arguments: { name: 'x' } }],
    ] as const;
    const plain = new Rig({ register });
    const { rig } = watching();
    for (const [method, params] of calls) {
      const [with_, without] = [await rig.stateless(method, params), await plain.stateless(method, params)];
      expect(with_.json).toEqual(without.json);
    }
  });

  it('runs again for each round of questions', async () => {
    const { rig, seen } = watching();
    const session = await rig.connect();
    const asked = (await session.call('ask')).events.find(({ data }) => data?.method === 'elicitation/create');
    await session.answer(asked?.data.id, ACCEPT);
    expect(seen.map(({ call, end }) => [call.round, end.outcome])).toEqual([
      [0, 'asked'],
      [1, 'ok'],
    ]);
    expect(rig.violations).toEqual([]);
  });

  it('receives the caller, distinguishes arguments and does not show them', async () => {
    const { rig, seen } = watching();
    const session = await rig.connect({ user: 'external/ada/acme' });
    await session.call('ok', { card: '4111' });
    await session.call('ok', { card: '4242' });
    await session.call('ok', { card: '4111' });
    const [first, second, third] = seen.map(({ call }) => call);
    expect(first?.principal?.identity).toBe('ada');
    expect(first?.tenantId).toBe('acme');
    // SHA-256 of {"card":"4111"} as base64url, cut: hooks store it, and other versions must compute the same.
    expect(first?.argsDigest).toBe('X9xoo8dD30OcJ_pi5oit2w');
    expect(first?.argsDigest).not.toBe(second?.argsDigest);
    expect(first?.argsDigest).toBe(third?.argsDigest);
    expect(first?.ctx.sessionId).toMatch(/^[\w-]{40,}$/);
    expect(first?.ctx.sessionId).toBe(third?.ctx.sessionId);
    expect(session.id).not.toContain(first?.ctx.sessionId);
  });

  it('receives a call that times out', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    let started = () => {};
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const { rig, seen } = watching({
      clock,
      remainingMs: 10_000,
      register: (server) =>
        server.tool('slow', {}, () => {
          started();
          return new Promise<never>(() => {});
        }),
    });
    const answering = rig.stateless('tools/call', { name: 'slow' });
    await running;
    await clock.advance(9_000);
    expect((await answering).json.result.isError).toBe(true);
    expect(seen.map(({ end }) => [end.outcome, end.durationMs])).toEqual([['timeout', 9_000]]);
  });

  it('runs around the later ones, and sees what they rejected', async () => {
    const order: string[] = [];
    const hook =
      (name: string, refuses = false): OnCall =>
      async (_, next) => {
        order.push(`${name} in`);
        if (refuses) throw new McpToolError('Not today.');
        order.push(`${name} ${(await next()).outcome}`);
      };
    const allow = new Rig({ register, server: { onCall: [hook('a'), hook('b')] } });
    await allow.stateless('tools/call', { name: 'ok' });
    expect(order.splice(0)).toEqual(['a in', 'b in', 'b ok', 'a ok']);
    const refuse = new Rig({ register, server: { onCall: [hook('a'), hook('b', true)] } });
    const { result } = (await refuse.stateless('tools/call', { name: 'ok' })).json;
    expect([result.isError, result.content[0].text]).toEqual([true, 'Not today.']);
    expect(order).toEqual(['a in', 'b in', 'a tool_error']);
  });

  it.each<[string, OnCall]>([
    ['neither goes on nor throws', () => undefined],
    [
      'throws anything else',
      () => {
        throw new Error('hunter2');
      },
    ],
  ])('that %s fails the call without a word about it', async (_, onCall) => {
    let ran = false;
    const rig = new Rig({
      register: (server) =>
        server.tool('t', {}, () => {
          ran = true;
          return '';
        }),
      server: { onCall },
    });
    const { json, text } = await rig.stateless('tools/call', { name: 't' });
    expect(json.result.content[0].text).toMatch(/^Tool failed \(request /);
    expect([ran, text.includes('hunter2')]).toEqual([false, false]);
  });

  it('runs the handler once, regardless of the number of next() calls', async () => {
    let runs = 0;
    const rig = new Rig({
      register: (server) =>
        server.tool('t', {}, () => {
          runs += 1;
          return '';
        }),
      server: { onCall: (_, next) => Promise.all([next(), next()]) },
    });
    await rig.stateless('tools/call', { name: 't' });
    expect(runs).toBe(1);
  });

  it('is rejected when it is not a function', () => {
    expect(() => new Rig({ server: { onCall: [5 as never] } }).server()).toThrow(
      expect.failure('app.invalid_configuration', 'option "onCall"'),
    );
  });
});

function toLog(write: (level: string) => (event: string, fields?: object) => unknown): Logger {
  const log = {
    ...{ debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
    isEnabled: () => true,
    with: () => log,
  } as Logger;
  return log;
}

describe('logCalls', () => {
  it('writes one record a call', async () => {
    const lines: unknown[] = [];
    const write = (level: string) => (event: string, fields?: object) => lines.push([level, event, fields]);
    const log = toLog(write);
    const rig = new Rig({ register, server: { onCall: logCalls({ log }) }, clock: new ManualClock(0) });
    await rig.stateless(
      'tools/call',
      { name: 'refuse', arguments: { pin: '1234' } },
      { user: 'external/ada/acme', id: 7 },
    );
    expect(lines).toEqual([
      [
        'info',
        'mcp.call',
        {
          kind: 'tool',
          name: 'refuse',
          method: 'tools/call',
          outcome: 'tool_error',
          round: 0,
          duration_ms: 0,
          args_digest: expect.stringMatching(/^[\w-]{22}$/),
          principal: 'ada',
          tenant: 'acme',
          rpc_id: 7,
          session: null,
        },
      ],
    ]);
  });

  it('that fails does not fail the call', async () => {
    const fail = () => {
      throw new Error('disk full');
    };
    const log = toLog(() => fail);
    const rig = new Rig({ register, server: { onCall: logCalls({ log }) } });
    expect((await rig.stateless('tools/call', { name: 'ok' })).json.result.content[0].text).toBe('fine');
  });
});

it('measureCalls counts by registered names, never by requested names', async () => {
  const metrics: unknown[] = [];
  const metric = (...args: unknown[]) => metrics.push(args);
  const measure = measureCalls();
  const call = { kind: 'resource', name: 'notes://7', target: 'notes://{id}', ctx: { http: { metric } } };
  await measure(call as unknown as McpCall, async () => ({ outcome: 'ok', durationMs: 12 }));
  const tags = { kind: 'resource', target: 'notes://{id}', outcome: 'ok' };
  expect(metrics).toEqual([
    ['mcp.calls', 1, { tags }],
    ['mcp.call_duration', 12, { tags, unit: 'Milliseconds' }],
  ]);
});

it.each([
  ['tools/call', { name: 'ok' }, 'tool', 'ok', 'ok'],
  ['tools/call', { name: 'refuse' }, 'tool', 'refuse', 'tool_error'],
  ['tools/call', { name: 'says' }, 'tool', 'says', 'tool_error'],
  ['tools/call', { name: 'crash' }, 'tool', 'crash', 'failed'],
  ['resources/read', { uri: 'notes://7' }, 'resource', 'notes://{id}', 'ok'],
  ['prompts/get', { name: 'greet', arguments: { name: 'Ada' } }, 'prompt', 'greet', 'ok'],
])('%s %j is one metric of the container, with registered names', async (method, params, kind, target, outcome) => {
  const metrics: MetricRecord[] = [];
  const rig = new Rig({ register, metric: (record) => metrics.push(record) });
  await rig.stateless(method, params);
  expect(metrics.map(({ name }) => name)).toEqual(['framework.call', 'framework.request']);
  expect(metrics[0]).toMatchObject({ value: 1, tags: { kind, target, outcome }, duration_ms: expect.any(Number) });
});

describe('limitCalls', () => {
  const limited = (tools?: readonly string[]) => {
    const asked: unknown[] = [];
    const limiter: CallLimiter = {
      consume: async (key) => {
        asked.push(key);
        return asked.length > 1 ? { allowed: false, retryAfterMs: 1500 } : { allowed: true };
      },
    };
    const rig = new Rig({ register, server: { onCall: limitCalls(tools ? { limiter, tools } : { limiter }) } });
    return { rig, asked };
  };

  it('rejects a tool with a message for the model, by caller and tool', async () => {
    const { rig, asked } = limited(['ok']);
    const call = (name: string) => rig.stateless('tools/call', { name }, { user: 'external/ada/acme' });
    expect((await call('ok')).json.result.content[0].text).toBe('fine');
    const { result } = (await call('ok')).json;
    expect([result.isError, result.content[0].text]).toEqual([true, 'Too many calls. Try again in 2 s.']);
    expect((await call('says')).json.result.content).toEqual([]);
    expect(asked).toEqual(
      Array(2).fill({
        identifier: 'ada',
        kind: 'principal',
        caller: expect.stringContaining('acme'),
        resource: 'tool/ok',
        operation: 'tools/call',
      }),
    );
  });

  it('rejects other methods with a protocol error, and distinguishes anonymous callers by address', async () => {
    const { rig, asked } = limited();
    await rig.stateless('resources/read', { uri: 'notes://7' });
    const { error } = (await rig.stateless('resources/read', { uri: 'notes://7' })).json;
    expect(error).toEqual({ code: -32603, message: 'Too many calls. Try again in 2 s.' });
    expect(asked[0]).toEqual({
      identifier: '192.0.2.1',
      kind: 'source_ip',
      resource: 'resource/notes://{id}',
      operation: 'resources/read',
    });
  });
});

describe('limitTime', () => {
  const late = async (method: string, params: object) => {
    const clock = new ManualClock(1_700_000_000_000);
    let started = () => {};
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    let reason: unknown;
    const wait = (_: unknown, ctx: { readonly signal: AbortSignal }) => {
      ctx.signal.addEventListener('abort', () => {
        reason = ctx.signal.reason;
      });
      started();
      return new Promise<never>(() => {});
    };
    const rig = new Rig({
      clock,
      register: (server) => server.tool('slow', {}, wait).prompt('slow', {}, wait),
      server: { onCall: limitTime({ ms: 2000 }) },
    });
    const answering = rig.stateless(method, params);
    await running;
    await clock.advance(2000);
    return { json: (await answering).json, reason };
  };

  it('ends a tool, and aborts its signal', async () => {
    const { json, reason } = await late('tools/call', { name: 'slow' });
    expect([json.result.isError, json.result.content[0].text]).toEqual([true, 'Timed out after 2000 ms.']);
    expect(reason).toBeInstanceOf(McpToolError);
  });

  it('ends a prompt', async () => {
    const { json } = await late('prompts/get', { name: 'slow' });
    expect(json.error).toEqual({ code: -32603, message: 'Timed out after 2000 ms.' });
  });

  it('does not affect other tools and calls that finish in time', async () => {
    const rig = new Rig({ register, server: { onCall: limitTime({ ms: 60_000, tools: ['ok'] }) } });
    expect((await rig.stateless('tools/call', { name: 'ok' })).json.result.content[0].text).toBe('fine');
    expect((await rig.stateless('tools/call', { name: 'refuse' })).json.result.content[0].text).toBe('No.');
  });
});

it.each([
  [() => logCalls({ level: 'loud' as never }), 'option "level"'],
  [() => limitCalls({} as never), 'option "limiter"'],
  [() => limitTime({ ms: 0 }), 'option "ms"'],
  [() => measureCalls({ tags: [] } as never), 'unknown option "tags"'],
])('%s is rejected', (make, message) => {
  expect(make).toThrow(expect.failure('app.invalid_configuration', message));
});
