import { z } from 'zod';
import type { McpServer, RequestMeta } from '../src/index.js';
import { Rig, type Sent } from './support/rig.js';

const text = () => 'called';

describe('required permissions', () => {
  const register = (server: McpServer) => {
    server.tool('open', {}, text);
    server.tool('all', { scopes: ['notes:read', 'notes:write'] }, text);
    server.tool('any', { anyScope: ['notes:write', 'notes:read'] }, text);
    server.tool('both', { scopes: ['notes:read'], anyScope: ['notes:admin'] }, text);
    server.tool(
      'own',
      {
        input: z.object({ owner: z.string() }),
        authorize: (ctx, args) =>
          ctx.principal !== null && (args === undefined || args.owner === ctx.principal.identity),
      },
      text,
    );
    server.tool('never', { authorize: () => false }, text);
    server.tool(
      'broken',
      {
        authorize: () => {
          throw new Error('hunter2');
        },
      },
      text,
    );
    server.tool('truthy', { authorize: () => 'yes' as never }, text);
    server.resource('notes://secret', { name: 'secret', scopes: ['notes:admin'] }, text);
    server.resource('notes://index', { name: 'index' }, text);
    server.resourceTemplate('notes://{id}/any', { name: 'any', anyScope: ['notes:admin'] }, text);
    server.prompt('hidden', { anyScope: ['notes:admin'] }, text);
    server.prompt('shown', { anyScope: ['notes:read'] }, text);
  };
  const rig = new Rig({ register });
  const ada: Sent = { user: 'ada' };

  it.each<[Sent, string, object, readonly string[]]>([
    [{}, 'tools/list', {}, ['open']],
    [ada, 'tools/list', {}, ['open', 'any', 'own']],
    [ada, 'resources/list', {}, ['notes://index']],
    [ada, 'resources/templates/list', {}, []],
    [ada, 'prompts/list', {}, ['shown']],
    [{}, 'prompts/list', {}, []],
  ])('%j is shown by %s what it may call', async (sent, method, params, shown) => {
    const { result } = (await rig.stateless(method, params, sent)).json;
    const [items] = Object.values(result).filter(Array.isArray);
    expect(items?.map((item: { uri?: string; name: string }) => item.uri ?? item.name)).toEqual(shown);
    expect(result.cacheScope).toBe('private');
    const session = (await (await rig.connect(sent.user ? { user: sent.user } : {})).request(method, params)).json
      .result;
    expect(Object.values(session).filter(Array.isArray)[0]).toEqual(items);
  });

  it.each<[Sent, string, object, number]>([
    [ada, 'any', {}, 200],
    [{}, 'any', {}, 403],
    [ada, 'all', {}, 403],
    [ada, 'both', {}, 403],
  ])('%j calling %s is HTTP %d', async (sent, name, args, status) => {
    expect((await rig.stateless('tools/call', { name, arguments: args }, sent)).status).toBe(status);
    const session = await rig.connect(sent.user ? { user: sent.user } : {});
    expect((await session.call(name, args)).status).toBe(status);
  });

  it.each([
    ['own', { owner: 'ada' }, undefined, 'called'],
    ['own', { owner: 'bob' }, true, 'You may not call this tool with these arguments.'],
    ['own', {}, true, 'Invalid arguments: /owner: Invalid input: expected string, received undefined'],
    ['never', {}, true, 'You may not call this tool with these arguments.'],
    ['broken', {}, true, 'You may not call this tool with these arguments.'],
    ['truthy', {}, true, 'You may not call this tool with these arguments.'],
  ])('%s with %j is answered with isError %p', async (name, args, isError, said) => {
    const { result } = (await rig.stateless('tools/call', { name, arguments: args }, ada)).json;
    expect([result.isError, result.content[0].text]).toEqual([isError, said]);
  });

  it('keeps the order of pages', async () => {
    const paged = new Rig({ register, server: { pageSize: 2 } });
    const names: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const { result } = (await paged.stateless('tools/list', cursor ? { cursor } : {}, ada)).json;
      names.push(...result.tools.map(({ name }: { name: string }) => name));
      cursor = result.nextCursor;
      pages += 1;
    } while (cursor);
    expect([names, pages]).toEqual([['open', 'any', 'own'], 4]);
  });
});

describe('a union as input', () => {
  const shape = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circle'), radius: z.number() }),
    z.object({ kind: z.literal('square'), side: z.number() }),
  ]);
  const rig = new Rig({
    register: (server) => {
      server.tool('area', { input: shape }, (args) => String(args.kind === 'circle' ? args.radius : args.side));
      server.tool(
        'raw',
        {
          input: {
            oneOf: [
              { type: 'object', required: ['a'] },
              { type: 'object', required: ['b'] },
            ],
          },
        },
        text,
      );
    },
  });

  it('is listed with the type object, and checked', async () => {
    const { tools } = (await rig.stateless('tools/list')).json.result;
    expect(tools.map(({ inputSchema }: { inputSchema: { type: string } }) => inputSchema.type)).toEqual([
      'object',
      'object',
    ]);
    const call = async (name: string, args: object) =>
      (await rig.stateless('tools/call', { name, arguments: args })).json.result.content[0].text;
    expect(await call('area', { kind: 'square', side: 3 })).toBe('3');
    expect(await call('area', { kind: 'square', radius: 3 })).toMatch(/^Invalid arguments/);
    expect(await call('raw', { a: 1 })).toBe('called');
    expect(await call('raw', { a: 1, b: 1 })).toMatch(/^Invalid arguments/);
  });

  it.each([[{ anyOf: [{ type: 'object' }, { type: 'string' }] }], [{ anyOf: [] }], [{ oneOf: [true] }]])(
    'of other values is rejected: %j',
    (input) => {
      expect(() => new Rig({ register: (server) => void server.tool('t', { input }, text) }).server()).toThrow(
        expect.failure('mcp.invalid_registration', 'tool "t": input'),
      );
    },
  );
});

describe('a form of a validator', () => {
  const Day = z.object({ day: z.string().transform((day) => day.toUpperCase()), seats: z.number().min(1).optional() });
  const rig = new Rig({
    register: (server) =>
      server.tool('book', { asks: ['elicitation'] }, async (_, ctx) => {
        const answer = await ctx.elicit({ message: 'Day?', requestedSchema: Day });
        return answer.action === 'accept' ? answer.content.day : answer.action;
      }),
  });
  const answered = async (result: object) => {
    const session = await rig.connect();
    const first = await session.call('book');
    const asked = first.events.find(({ data }) => data?.method === 'elicitation/create');
    await session.answer(asked?.data.id, result);
    const rest = await session.resume(String(first.events.findLast(({ id }) => id)?.id));
    return { asked: asked?.data.params, result: rest.events.find(({ data }) => data?.result)?.data.result };
  };

  it('is a flat JSON Schema for the client, and the value that the validator made for the handler', async () => {
    const { asked, result } = await answered({ action: 'accept', content: { day: 'monday' } });
    expect(asked).toEqual({
      message: 'Day?',
      requestedSchema: {
        type: 'object',
        properties: { day: { type: 'string' }, seats: { type: 'number', minimum: 1 } },
        required: ['day'],
      },
    });
    expect(result.content[0].text).toBe('MONDAY');
  });

  it.each([
    [{ action: 'decline' }, 'decline'],
    [
      { action: 'accept', content: { day: 'monday', seats: 0 } },
      'The client gave no valid answer to elicitation/create.',
    ],
    [{ action: 'accept' }, 'The client gave no valid answer to elicitation/create.'],
  ])('%j is answered with %p', async (answer, said) => {
    expect((await answered(answer)).result.content[0].text).toBe(said);
  });

  it('that has no JSON Schema of type object fails the call', async () => {
    const broken = new Rig({
      register: (server) =>
        server.tool('t', { asks: ['elicitation'] }, async (_, ctx) => {
          await ctx.elicit({ message: 'x', requestedSchema: z.string() });
          return '';
        }),
    });
    expect((await (await broken.connect()).call('t')).json.error.code).toBe(-32603);
  });
});

it('a handler sees the id, the metadata and the trace of its request, and a name of its session', async () => {
  const seen: { id: unknown; meta: RequestMeta; session: string | undefined }[] = [];
  const rig = new Rig({
    register: (server) =>
      server.tool('t', {}, (_, { requestId: id, meta, sessionId: session }) => {
        seen.push({ id, meta, session });
        return '';
      }),
  });
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const session = await rig.connect();
  await session.call('t', {}, { id: 'a', meta: { traceparent, tracestate: 5, own: { deep: 1 } } });
  await session.call('t', {}, { id: 0 });
  await rig.stateless('tools/call', { name: 't' }, { id: 9, meta: { traceparent } });
  expect(seen[0]).toEqual({ id: 'a', meta: { traceparent, own: { deep: 1 } }, session: expect.any(String) });
  expect(seen[1]).toEqual({ id: 0, meta: {}, session: seen[0]?.session });
  expect(seen[2]).toMatchObject({ id: 9, meta: { traceparent }, session: undefined });
});

describe('schemas with a name', () => {
  const Note = z.object({ title: z.string() }).meta({ id: 'Note' });
  const Tree = z
    .object({
      get children() {
        return z.array(Tree);
      },
    })
    .meta({ id: 'Tree' });
  const rig = new Rig({
    register: (server: McpServer) => {
      server.tool('add', { input: Note, output: Note }, (note) => ({ structured: note }));
      server.tool('grow', { input: Tree }, text);
    },
  });

  it('have their type at the root, where MCP requires it', async () => {
    const { tools } = (await rig.stateless('tools/list', {})).json.result;
    const type = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
    expect(tools[0]).toMatchObject({ inputSchema: type, outputSchema: type });
    expect(tools[1].inputSchema).toMatchObject({
      type: 'object',
      properties: { children: { items: { $ref: '#/$defs/Tree' } } },
      $defs: { Tree: { type: 'object' } },
    });
  });

  it('validate arguments', async () => {
    const call = async (args: object) => (await rig.stateless('tools/call', { name: 'add', arguments: args })).json;
    expect((await call({ title: 'Milk' })).result.structuredContent).toEqual({ title: 'Milk' });
    expect((await call({ title: 5 })).result).toMatchObject({ isError: true });
  });
});
