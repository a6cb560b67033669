import type { Context, Handler } from '@sallyport/core';
import {
  bind,
  created,
  createHttpRouter,
  defineRoutes,
  group,
  json,
  type PathNames,
  serveRequest,
} from '../src/index.js';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles only if the two types are equal; checked by `tsc`, not at run time. */
const same = <A, B>(answer: Same<A, B>): boolean => answer;
/** Never called: the content is only for the compiler. */
const compiled = (code: () => unknown) => expect(code).toBeInstanceOf(Function);

describe('the names of a pattern', () => {
  it('are read from every form of a parameter', () => {
    const prefix = String('/v1');
    compiled(() => [
      same<PathNames<'/orders/{id}'>, 'id'>(true),
      same<PathNames<'/orders/:id/lines/{line}'>, 'id' | 'line'>(true),
      same<PathNames<'/files/{rest+}'>, 'rest'>(true),
      same<PathNames<'/files/:rest+'>, 'rest'>(true),
      same<PathNames<'{id}'>, 'id'>(true),
      same<PathNames<'/'>, never>(true),
      same<PathNames<''>, never>(true),
      same<PathNames<string>, string>(true),
      same<PathNames<`${typeof prefix}/{id}`>, string>(true),
      same<PathNames<`/v${number}/{id}`>, string>(true),
    ]);
  });

  it('are the parameters of the context of each verb', () => {
    const app = createHttpRouter();
    compiled(() => {
      app.get('/orders/{id}', (ctx) => json(200, [ctx.params.id.length, ctx.param('id'), ctx.rawParam('id')]));
      app.handle('PURGE', '/cache/:key', (ctx) => json(200, ctx.param('key')));
      // @ts-expect-error the pattern contains `id`
      app.get('/orders/{id}', (ctx) => json(200, ctx.param('di')));
      // @ts-expect-error the pattern contains `id`
      app.put('/orders/{id}', (ctx) => json(200, ctx.params.di));
      // @ts-expect-error the pattern has no parameter
      app.delete('/orders', (ctx) => json(200, ctx.param('id')));
      // @ts-expect-error the pattern contains `key`
      app.handle('PURGE', '/cache/{key}', (ctx) => json(200, ctx.rawParam('id')));
    });
  });

  it('remain open for a pattern that is only text', () => {
    const app = createHttpRouter();
    const patterns: readonly string[] = ['/a/{id}'];
    compiled(() => {
      for (const pattern of patterns) app.get(pattern, (ctx) => json(200, [ctx.param('id'), ctx.params.any]));
      app.get(`${patterns[0]}/{x}`, (ctx) => json(200, ctx.param('id')));
    });
  });

  it('accept handlers and helpers for any context', () => {
    const app = createHttpRouter();
    const idOf = (ctx: Context) => ctx.param('id');
    const handler: Handler = (ctx) => json(200, idOf(ctx));
    compiled(() => {
      app.get('/a/{id}', handler);
      app.get('/b/{id}', (ctx) => json(200, idOf(ctx)));
      app.get(
        '/c/{id}',
        bind({ params: { id: { type: 'int' } } }, (_, { params }) => params.id),
      );
      app.get('/d/{id}', async (ctx: Context) => json(200, ctx.params));
    });
  });

  it('hold the parameters of the groups around', async () => {
    const lines = defineRoutes<'order'>((routes) => {
      routes.get('/{line}', (ctx) => json(200, [ctx.params.order, ctx.params.line]));
      // @ts-expect-error the pattern and the prefix do not contain `ordre`
      routes.get('/{line}/x', (ctx) => json(200, ctx.params.ordre));
    });
    const app = createHttpRouter();
    group(app, '/orders/{order}', {}, (orders) => {
      orders.get('/', (ctx) => json(200, ctx.params.order));
      orders.group('/lines', {}, lines);
    });
    const { body } = await serveRequest(app, { method: 'GET', path: '/orders/o1/lines/2' });
    expect(Buffer.from(body).toString()).toBe('["o1","2"]');
  });
});

describe('a result is closed', () => {
  it('for the compiler', () => {
    const app = createHttpRouter();
    const load = async () => ({ id: 1 });
    const loose: unknown = 1;
    compiled(() => {
      app.get('/a', () => ({ status: 201, body: 'text' }));
      app.get('/b', () => new Response('x'));
      app.get('/c', async () => fetch('https://a.example'));
      app.get('/d', () => json(200, loose));
      app.get('/e', (ctx) => json(200, JSON.parse(ctx.bodyText())));
      app.get('/f', async () => created(await load()));
      app.get(
        '/g',
        bind({}, () => new Response('x')),
      );
      // @ts-expect-error the shape of Lambda
      app.get('/h', () => ({ statusCode: 404, body: 'no' }));
      // @ts-expect-error a value is not a response
      app.get('/i', () => ({ ok: true }));
      // @ts-expect-error a promise has to be awaited
      app.get('/j', () => json(200, load()));
      // @ts-expect-error a promise has to be awaited
      app.get('/k', () => created(load()));
      // @ts-expect-error nothing is not a response
      app.get('/l', () => {});
      // @ts-expect-error a string is not a response
      app.get('/m', () => 'text');
    });
    const generic = <T>(value: T) => json(200, value);
    expect(generic({ a: 1 }).status).toBe(200);
  });

  it.each<[string, () => unknown, string]>([
    ['the shape of Lambda', () => ({ statusCode: 404, body: 'no' }), 'return json(200, value)'],
    ['a value', async () => ({ ok: true }), 'return json(200, value)'],
    ['json of a promise', () => json(200, Promise.resolve(1) as unknown), 'await it first'],
    ['created of a promise', () => created(Promise.resolve(1) as unknown), 'await it first'],
  ])('at run time: %s is 500, and the line names the remedy', async (_, handler, advice) => {
    const lines: unknown[] = [];
    const ignore = () => {};
    const error = (_message: string, fields?: object) => lines.push((fields as { error?: Error }).error?.cause);
    const log = { debug: ignore, info: ignore, warn: ignore, error, isEnabled: () => true, with: () => log };
    const app = createHttpRouter({ log }).get('/', handler as Handler);
    const { status } = await serveRequest(app, { method: 'GET', path: '/' });
    expect(status).toBe(500);
    expect(lines).toEqual([expect.objectContaining({ message: expect.stringContaining(advice) })]);
  });

  it('except a web Response, which is sent unchanged', async () => {
    const headers = [
      ['content-type', 'text/csv'],
      ['set-cookie', 'a=1'],
    ] as [string, string][];
    const app = createHttpRouter()
      .get('/plain', () => new Response('a,b', { status: 203, headers }))
      .get(
        '/bound',
        bind({}, () => new Response('a,b', { status: 203, headers })),
      );
    for (const path of ['/plain', '/bound']) {
      const answer = await serveRequest(app, { method: 'GET', path });
      const chunks: Uint8Array[] = [];
      for await (const chunk of answer.bodyStream ?? []) chunks.push(chunk);
      expect([answer.status, answer.headers['content-type'], answer.cookies, Buffer.concat(chunks).toString()]).toEqual(
        [203, ['text/csv'], ['a=1'], 'a,b'],
      );
    }
  });
});
