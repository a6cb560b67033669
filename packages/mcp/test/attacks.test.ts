import { ManualClock } from '@sallyport/core/testing';
import fc from 'fast-check';
import { type McpServer, memoryMcpStore } from '../src/index.js';
import { compileTemplate } from '../src/server/internal/uri-template.js';
import {
  type Answer,
  parseSse,
  Rig,
  type RigOptions,
  readAll,
  statelessHeaders,
  statelessMessage,
} from './support/rig.js';

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
    expect((await call('numbers', { list })).json.result.content[0].text).toBe(
      'Invalid arguments: /list/0: type number',
    );
    expect((await call('numbers', { list: list.map(() => 1) })).json.result.content[0].text).toBe('kept');
  });
});

const NUMBERS = { type: 'array', items: { type: 'number' } };
/** The usual filter of a search: each alternative is identified by its one member. */
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

/** Two tools that need a scope: one sends a question, the other closes its stream. Both return the caller with which they continued. */
function guarded(server: McpServer): void {
  const name = (scopes: readonly string[] | undefined, tenantId: string) => `[${scopes}] ${tenantId}`;
  server.tool('ask', { scopes: ['danger'], asks: ['elicitation'] }, async (_, ctx) => {
    await ctx.elicit({ message: 'Sure?' });
    return `wiped by ${name(ctx.principal?.scopes, ctx.tenantId)}`;
  });
  server.tool('close', { scopes: ['danger'] }, async (_, ctx) => {
    await ctx.closeStream();
    return `wiped by ${name(ctx.principal?.scopes, ctx.tenantId)}`;
  });
  server.tool('report', { scopes: ['danger'] }, (_, ctx) => {
    ctx.log('info', 'the secret');
    return 'told';
  });
  server.resource('secret://plan', { name: 'plan', scopes: ['danger'] }, () => 'the plan');
  server.resourceTemplate(
    'notes://{tenant}/{id}',
    { name: 'notes', authorize: (ctx, uri) => uri === undefined || uri.startsWith(`notes://${ctx.tenantId}/`) },
    ({ id }) => `note ${id}`,
  );
}

const strong = { headers: { 'x-scopes': 'danger' }, user: 'external/ada/t1' };
const weak = { headers: { 'x-scopes': 'read' }, user: 'external/ada/t1' };
const lastId = (answer: Answer) => answer.events.filter(({ id }) => id !== undefined).at(-1)?.id ?? '';
const questionId = (answer: Answer) => answer.events.find(({ data }) => data?.id !== undefined)?.data.id;

describe('a caller without the scope', () => {
  const rigOf = (options: RigOptions = {}) => new Rig({ register: guarded, ...options });

  it('does not continue a call by an answer, and the answer is not used up', async () => {
    const rig = rigOf();
    const session = await rig.connect({ user: strong.user });
    const parked = await session.call('ask', {}, strong);
    const refused = await session.answer(questionId(parked), { action: 'accept', content: {} }, weak);
    expect([refused.status, refused.json.error.code]).toEqual([403, 'app.forbidden']);
    expect((await session.answer(questionId(parked), { action: 'accept', content: {} }, strong)).status).toBe(202);
    expect((await session.resume(lastId(parked), strong)).text).toContain('wiped by [danger] t1');
  });

  it('does not continue a closed call with a new request', async () => {
    const session = await rigOf().connect({ user: strong.user });
    const closed = await session.call('close', {}, strong);
    expect((await session.resume(lastId(closed), weak)).status).toBe(403);
    expect((await session.resume(lastId(closed), strong)).text).toContain('wiped by [danger] t1');
  });

  it('does not read the events of a call again', async () => {
    const session = await rigOf().connect({ user: strong.user });
    const { events } = await session.call('report', {}, strong);
    const refused = await session.resume(events[0]?.id ?? '', weak);
    expect([refused.status, refused.text.includes('secret')]).toEqual([403, false]);
    expect((await session.resume(events[0]?.id ?? '', strong)).text).toContain('the secret');
  });

  it('does not continue a stateless call', async () => {
    const rig = rigOf();
    const capabilities = { elicitation: {} };
    const { requestState } = (await rig.stateless('tools/call', { name: 'ask' }, { ...strong, capabilities })).json
      .result;
    const inputResponses = { q1: { action: 'accept', content: {} } };
    const refused = await rig.stateless(
      'tools/call',
      { name: 'ask', requestState, inputResponses },
      { ...weak, capabilities },
    );
    expect(refused.status).toBe(403);
  });

  it('receives no changes, by a new or old subscription or by listening', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    const rig = rigOf({ streaming: true, clock, server: { changes: true } });
    const session = await rig.connect({ user: strong.user });
    const uri = 'secret://plan';
    expect((await session.request('resources/subscribe', { uri }, weak)).status).toBe(403);
    expect((await session.request('resources/subscribe', { uri }, strong)).json.result).toEqual({});
    const hear = async (sent: typeof weak) => {
      const opened = await rig.open(
        'GET',
        '',
        session.sent({ ...sent, headers: { ...sent.headers, accept: 'text/event-stream' } }),
      );
      const reading = readAll(opened.body);
      await rig.server().publish({ resource: uri });
      await clock.advance(30_000);
      return (await reading).includes(uri);
    };
    expect([await hear(weak), await hear(strong)]).toEqual([false, true]);
    const message = statelessMessage(1, 'subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } });
    const headers = { ...statelessHeaders('subscriptions/listen', {}), ...weak.headers };
    expect((await rig.open('POST', JSON.stringify(message), { ...weak, headers })).status).toBe(403);
  });
});

describe('a caller of another tenant', () => {
  it.each<[string, RigOptions['server']]>([
    ['durable', {}],
    ['sealed', { sessions: 'sealed' }],
  ])('that only the runtime names does not get into a session, nor continue its calls: %s', async (_, server) => {
    const rig = new Rig({ register: guarded, server: server ?? {} });
    const [mine, other] = ['t1', 't2'].map((tenantId) => ({ headers: strong.headers, user: 'ada', tenantId }));
    const session = await rig.connect({ user: 'ada', tenantId: 't1' });
    const parked = await session.call('ask', {}, mine);
    const answer = { action: 'accept', content: {} };
    expect((await session.answer(questionId(parked), answer, other)).status).toBe(404);
    expect((await session.resume(lastId(parked), other)).status).toBe(404);
    expect((await session.answer(questionId(parked), answer, mine)).status).toBe(202);
    expect((await session.resume(lastId(parked), mine)).text).toContain('wiped by [danger] t1');
  });

  it('does not continue a stateless call', async () => {
    const rig = new Rig({ register: guarded });
    const sent = { headers: strong.headers, user: 'ada', capabilities: { elicitation: {} } };
    const params = { name: 'ask' };
    const { requestState } = (await rig.stateless('tools/call', params, { ...sent, tenantId: 't1' })).json.result;
    const inputResponses = { q1: { action: 'accept', content: {} } };
    const retry = { ...params, requestState, inputResponses };
    expect((await rig.stateless('tools/call', retry, { ...sent, tenantId: 't2' })).json.error.code).toBe(-32602);
    expect((await rig.stateless('tools/call', retry, { ...sent, tenantId: 't1' })).text).toContain(
      'wiped by [danger] t1',
    );
  });

  it('is not notified about resources that it may not read', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    const rig = new Rig({ register: guarded, streaming: true, clock, server: { changes: true } });
    const session = await rig.connect({ user: strong.user });
    const subscribe = (uri: string) => session.request('resources/subscribe', { uri }, strong);
    expect((await subscribe('notes://t2/1')).json.error.code).toBe(-32002);
    expect((await session.request('resources/read', { uri: 'notes://t2/1' }, strong)).json.error.code).toBe(-32002);
    expect((await subscribe('notes://t1/1')).json.result).toEqual({});
    const opened = await rig.open(
      'GET',
      '',
      session.sent({ ...strong, headers: { ...strong.headers, accept: 'text/event-stream' } }),
    );
    const reading = readAll(opened.body);
    await rig.server().publish({ list: 'tools' }, { tenantId: 't2' });
    await rig.server().publish({ list: 'prompts' }, { tenantId: 't1' });
    await clock.advance(30_000);
    const heard = parseSse(await reading).flatMap(({ data }) => (data ? [data.method] : []));
    expect(heard).toEqual(['notifications/prompts/list_changed']);
  });
});

describe('what one server made', () => {
  const register = (server: McpServer) =>
    server.tool('ask', { asks: ['elicitation'] }, async (_, ctx) => {
      const step = await ctx.step('whose', () => 'of the first');
      await ctx.elicit({ message: 'Sure?' });
      return step;
    });
  const pair = (options: RigOptions['server'] = {}) => {
    const store = memoryMcpStore();
    return ['first', 'second'].map((name) => new Rig({ register, server: { store, name, ...options } })) as [Rig, Rig];
  };

  it.each<[string, RigOptions['server']]>([
    ['durable', {}],
    ['sealed', { sessions: 'sealed' }],
  ])('is nothing to another with the same table and the same secret: a session, %s', async (_, options) => {
    const [first, second] = pair(options);
    const session = await first.connect();
    const parked = await session.call('ask');
    const sent = session.sent({ headers: { accept: 'text/event-stream', 'last-event-id': lastId(parked) } });
    expect((await second.send('GET', undefined, sent)).status).toBe(404);
    expect((await second.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, session.sent())).status).toBe(404);
    expect((await second.send('DELETE', undefined, session.sent())).status).toBe(404);
    expect((await session.request('ping')).status).toBe(200);
  });

  it('is not accepted by another server with the same table and secret: a state', async () => {
    const [first, second] = pair();
    const sent = { capabilities: { elicitation: {} } };
    const { requestState } = (await first.stateless('tools/call', { name: 'ask' }, sent)).json.result;
    const retry = { name: 'ask', requestState, inputResponses: { q1: { action: 'accept', content: {} } } };
    expect((await second.stateless('tools/call', retry, sent)).json.error.code).toBe(-32602);
    expect((await first.stateless('tools/call', retry, sent)).json.result.content[0].text).toBe('of the first');
  });
});
