import { type Context, deriveContext, type Middleware } from '@sallyport/core';
import { json, text } from '../src/index.js';
import { gatewayV2, routerWith, send } from './support/doors.js';

const mark =
  (name: string, trail: string[]): Middleware =>
  async (ctx, next) => {
    trail.push(`${name} in`);
    const response = await next(ctx);
    trail.push(`${name} out`);
    response.headers['x-trail'] = [...(response.headers['x-trail'] ?? []), name];
    return response;
  };

describe('middlewares', () => {
  it('run in the order of registration around routes registered before and after', async () => {
    const trail: string[] = [];
    const router = routerWith((http) => {
      http.get('/', () => text(200, ''));
      http.use(mark('a', trail)).use(mark('b', trail));
    });
    const got = await send(router, gatewayV2, {});
    expect(trail).toEqual(['a in', 'b in', 'b out', 'a out']);
    expect(got.headers['x-trail']).toBe('b,a');
  });

  it('may answer without next', async () => {
    let ran = 0;
    const router = routerWith((http) => {
      http.use(() => json(403, { error: 'no' }));
      http.get('/', () => {
        ran += 1;
        return text(200, '');
      });
    });
    expect([(await send(router, gatewayV2, {})).status, ran]).toEqual([403, 0]);
  });

  it('do not run for what was never matched', async () => {
    const trail: string[] = [];
    const router = routerWith((http) => http.use(mark('a', trail)));
    expect([(await send(router, gatewayV2, {})).status, trail]).toEqual([404, []]);
  });

  it.each<[string, Middleware]>([
    [
      'a second next',
      async (ctx, next) => {
        await next(ctx);
        return next(ctx);
      },
    ],
    ['a second next at once', async (ctx, next) => (await Promise.all([next(ctx), next(ctx)]))[0]],
    ['a context of its own', (ctx, next) => next(Object.create(ctx) as Context)],
    ['no context', (_ctx, next) => next(undefined as never)],
  ])('end in 500 after %s', async (_name, middleware) => {
    const router = routerWith((http) => http.use(middleware).get('/', () => text(200, '')));
    expect((await send(router, gatewayV2, {})).status).toBe(500);
  });

  it('end in 500 with the context of an earlier request', async () => {
    let stolen: Context | undefined;
    const router = routerWith((http) => {
      http.use((ctx, next) => {
        const used = stolen ?? ctx;
        stolen = ctx;
        return next(used);
      });
      http.get('/', () => text(200, ''));
    });
    expect((await send(router, gatewayV2, {})).status).toBe(200);
    expect((await send(router, gatewayV2, {})).status).toBe(500);
  });

  it('may pass on a derived context, which shares everything but the signal', async () => {
    const controller = new AbortController();
    const router = routerWith((http) => {
      http.use((ctx, next) => {
        ctx.set('who', 'outer');
        return next(deriveContext(ctx, { signal: controller.signal }));
      });
      http.get('/{id}', (ctx) =>
        json(200, [ctx.get('who'), ctx.param('id'), ctx.requestId, ctx.signal === controller.signal]),
      );
    });
    expect((await send(router, gatewayV2, { path: '/7' })).body.toString()).toBe('["outer","7","req-1",true]');
  });

  it('receive a response object for any result of the handler', async () => {
    const seen: unknown[] = [];
    const router = routerWith((http) => {
      http.use(async (ctx, next) => {
        const response = await next(ctx);
        seen.push(response.status, response.headers['x-a'], Buffer.from(response.body).toString());
        return { ...response, status: 202 };
      });
      http.get('/', () => ({ headers: { 'X-A': 'b' }, body: 'text' }));
    });
    const got = await send(router, gatewayV2, {});
    expect(seen).toEqual([200, ['b'], 'text']);
    expect([got.status, got.body.toString(), got.headers['x-a']]).toEqual([202, 'text', 'b']);
  });

  it('are rejected when they are not functions', () => {
    expect(() => routerWith((http) => http.use({} as never))).toThrow('middleware must be a function');
  });
});
