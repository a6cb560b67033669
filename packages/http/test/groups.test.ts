import type { Context, Handler, Middleware } from '@sallyport/core';
import * as v from 'valibot';
import { z } from 'zod';
import {
  bind,
  createHttpRouter,
  defineRoutes,
  type GroupOptions,
  group,
  type HttpRouter,
  type RouteGroup,
  serveRequest,
  text,
} from '../src/index.js';

const ok = () => text(200, 'ok');
const pass: Middleware = (ctx, next) => next(ctx);

/** A middleware that writes its name on the way in and out. */
function mark(name: string, trail: string[]): Middleware {
  return async (ctx, next) => {
    trail.push(`+${name}`);
    const response = await next(ctx);
    trail.push(`-${name}`);
    return response;
  };
}

/** A router with one group. */
function grouped<const P extends string>(prefix: P, options: GroupOptions, define: Define<P>): HttpRouter {
  const http = createHttpRouter();
  group(http, prefix, options, define);
  return http;
}
type Define<P extends string> = Parameters<typeof group<P>>[3];

const routesOf = (define: (routes: RouteGroup) => void, prefix = '/orders') =>
  grouped(prefix, {}, define)
    .routes()
    .map(({ method, path }) => `${method} ${path}`);

describe('the prefix of a group', () => {
  it.each([
    ['/orders', '/', '/orders'],
    ['/orders', '', '/orders'],
    ['/orders', '/{id}', '/orders/{id}'],
    ['orders', 'x/:id', '/orders/x/{id}'],
    [' /t/:tenant ', ' /x ', '/t/{tenant}/x'],
    ['/orders', '/{rest+}', '/orders/{rest+}'],
    ['/', '/x', '/x'],
    ['/', '/', '/'],
  ])('%j with %j is %j', (prefix, pattern, path) => {
    expect(routesOf((routes) => routes.get(pattern, ok), prefix)).toEqual([`GET ${path}`]);
  });

  it('continues in groups inside', () => {
    const define = (routes: RouteGroup) => {
      routes.get('/', ok).group('/{id}', {}, (order) => {
        order.delete('/', ok).group('/lines', {}, (lines) => {
          lines.handle('purge', '/{line}', ok);
        });
      });
      routes.post('/', ok);
    };
    expect(routesOf(define)).toEqual([
      'GET /orders',
      'DELETE /orders/{id}',
      'PURGE /orders/{id}/lines/{line}',
      'POST /orders',
    ]);
  });

  it('passes its parameters to the handlers', async () => {
    const http = createHttpRouter();
    group(http, '/t/{tenant}', {}, (routes) => {
      routes.get('/x/{id}', (ctx) => text(200, `${ctx.param('tenant')} ${ctx.param('id')} ${ctx.route?.pattern}`));
    });
    const { body } = await serveRequest(http, { method: 'GET', path: '/t/a%20b/x/7' });
    expect(body.toString()).toBe('a b 7 /t/{tenant}/x/{id}');
  });

  it.each(['', '  ', 7, '/a/', '/a//b', '/*', '/a?b', '/{rest+}'])('%j is rejected', (prefix) => {
    expect(() => routesOf(() => {}, prefix as never)).toThrow(
      expect.failure(
        'app.bad_request',
        `invalid group: ${String(prefix) || '/'}: a prefix is a path without catch-all, query and slash at the end; use / for no prefix`,
      ),
    );
  });
});

describe('a registration in a group that cannot be', () => {
  it.each<[string, string, (http: RouteGroup) => unknown]>([
    ['app.bad_request', 'invalid group: /a', (http) => http.group('/a', {}, {} as never)],
    ['app.bad_request', 'invalid group: /a', (http) => http.group('/a', {}, async () => {})],
    [
      'app.invalid_configuration',
      'unknown option "posture"',
      (http) => http.group('/a', { posture: 1 } as never, () => {}),
    ],
    ['app.invalid_configuration', 'option "use"', (http) => http.group('/a', { use: [pass, {} as never] }, () => {})],
    ['app.invalid_configuration', 'option "use"', (http) => http.group('/a', { use: pass as never }, () => {})],
    ['app.invalid_configuration', 'option "tags[0]"', (http) => http.group('/a', { tags: [''] }, () => {})],
    ['app.invalid_configuration', 'options', (http) => http.group('/a', (() => {}) as never, () => {})],
    [
      'app.invalid_configuration',
      'expected group(prefix, options, define)',
      (http) => http.group('/a', {}, () => {}, {} as never),
    ],
    ['app.invalid_configuration', 'option "use"', (http) => http.get('/a', ok, { use: [undefined as never] })],
    [
      'app.bad_request',
      'invalid route pattern: GET /a/{id}/{id}',
      (http) => http.group('/a/{id}', {}, (routes) => routes.get('/{id}', ok)),
    ],
    [
      'app.bad_request',
      'duplicate route: GET /a/{y}',
      (http) => http.get('/a/{x}', ok).group('/a', {}, (routes) => routes.get('/{y}', ok)),
    ],
    [
      'app.bad_request',
      'route handler must be a function: GET /a/b',
      (http) => http.group('/a', {}, (r) => r.get('/b', 1 as never)),
    ],
    [
      'app.bad_request',
      'invalid route pattern: GET (no text)',
      (http) => http.group('/a', {}, (r) => r.get(1 as never, ok)),
    ],
  ])('%s: %s', (code, name, register) => {
    expect(() => grouped('/', {}, register as (routes: RouteGroup) => void)).toThrow(expect.failure(code, name));
  });
});

describe('middlewares', () => {
  it('run from the router to the route, in any order of registration', async () => {
    const trail: string[] = [];
    const http = createHttpRouter().use(mark('app', trail));
    group(http, '/a', { use: [mark('outer 1', trail), mark('outer 2', trail)] }, (outer) => {
      outer.group('/b', { use: [mark('inner', trail)] }, (inner) => {
        inner.get('/', ok, { use: [mark('route', trail)] });
      });
    });
    http.get('/other', ok).use(mark('late', trail));
    await serveRequest(http, { method: 'GET', path: '/a/b' });
    const names = ['app', 'late', 'outer 1', 'outer 2', 'inner', 'route'];
    expect(trail).toEqual([...names.map((name) => `+${name}`), ...names.reverse().map((name) => `-${name}`)]);
    trail.length = 0;
    await serveRequest(http, { method: 'GET', path: '/other' });
    expect(trail).toEqual(['+app', '+late', '-late', '-app']);
  });

  it('of a route detect a second next()', async () => {
    const twice: Middleware = async (ctx, next) => {
      await next(ctx);
      return next(ctx);
    };
    const http = createHttpRouter({ log: false })
      .use(pass)
      .get('/', ok, { use: [twice] });
    expect((await serveRequest(http, { method: 'GET', path: '/' })).status).toBe(500);
  });

  it('keep the contract of a bound handler visible', async () => {
    const bound = bind({ query: { n: { type: 'int' } } }, (_ctx, { query }) => query.n);
    const http = createHttpRouter().get('/', bound, { use: [pass] });
    expect(bound.contract.query).toEqual({ n: { type: 'int' } });
    expect((await serveRequest(http, { method: 'GET', path: '/?n=4' })).body.toString()).toBe('4');
  });

  it('of a route are the middlewares of its registration', async () => {
    const trail: string[] = [];
    const use = [mark('first', trail)];
    const http = createHttpRouter().get('/', ok, { use });
    use.push(mark('second', trail));
    http.use(pass);
    await serveRequest(http, { method: 'GET', path: '/' });
    expect(trail).toEqual(['+first', '-first']);
  });
});

describe('the options of a group', () => {
  it('is the default for routes without a setting', () => {
    const http = createHttpRouter({ authHook: () => 'ada' });
    group(http, '/a', { authRequired: true, tags: ['a', 'x'] }, (outer) => {
      outer.get('/guarded', ok).get('/open', ok, { authRequired: false });
      outer.group('/b', { authRequired: false, tags: ['x', 'b'] }, (inner) => inner.get('/', ok));
      outer.group('/c', {}, (inner) => inner.get('/', ok));
    });
    expect(http.routes()).toEqual([
      { surface: 'http', method: 'GET', path: '/a/guarded', authRequired: true, tags: ['a', 'x'] },
      { surface: 'http', method: 'GET', path: '/a/open', tags: ['a', 'x'] },
      { surface: 'http', method: 'GET', path: '/a/b', tags: ['a', 'x', 'b'] },
      { surface: 'http', method: 'GET', path: '/a/c', authRequired: true, tags: ['a', 'x'] },
    ]);
  });
});

describe('defineRoutes', () => {
  const module = defineRoutes((routes) => {
    routes.get('/', ok).get('/{id}', (ctx: Context) => text(200, ctx.param('id')));
  });

  it('makes a module that may be mounted more than once', async () => {
    const http = grouped('/v1/orders', {}, module);
    group(http, '/v2/orders', {}, module);
    expect(http.routes().map(({ path }) => path)).toEqual([
      '/v1/orders',
      '/v1/orders/{id}',
      '/v2/orders',
      '/v2/orders/{id}',
    ]);
    expect((await serveRequest(http, { method: 'GET', path: '/v2/orders/8' })).body.toString()).toBe('8');
  });
});

describe('path parameters of a bound handler', () => {
  const bound = (params: NonNullable<Parameters<typeof bind>[0]['params']>) => bind({ params }, () => null) as Handler;
  const field = { type: 'string' } as const;
  const zod = (...names: string[]) => z.object(Object.fromEntries(names.map((name) => [name, z.string()])));

  it.each([
    ['/a/{id}', bound({ id: field })],
    ['/a/{order-id}', bound({ id: { ...field, name: 'order-id' } })],
    ['/a/{rest+}', bound(zod('rest'))],
    ['/a/{id}/{line}', bound(v.object({ line: v.string(), id: v.string() }))],
    ['/a/{id}', bound(z.record(z.string(), z.string()))],
    ['/a/{id}', bind({ query: { id: field } }, () => null) as Handler],
    ['/a', bound({})],
  ])('fit the pattern %s', (pattern, handler) => {
    expect(createHttpRouter().get(pattern, handler).routes()).toHaveLength(1);
  });

  it.each<[string, Handler, string]>([
    ['/a/{id}', bound({ orderId: field }), '(orderId) must be those of the pattern (id): GET /a/{id}'],
    ['/a/{id}', bound(zod('orderId')), '(orderId) must be those of the pattern (id): GET /a/{id}'],
    ['/a/{id}', bound(v.object({ ID: v.string() })), '(ID) must be those of the pattern (id): GET /a/{id}'],
    ['/a', bound({ id: field }), '(id) must be those of the pattern (none): GET /a'],
    ['/a/:id/{line}', bound({ id: field }), '(id) must be those of the pattern (id, line): GET /a/:id/{line}'],
    ['/a/{id}', bound({ id: { ...field, name: 'no' } }), '(no) must be those of the pattern (id): GET /a/{id}'],
    ['/a/{id}', bound({}), '(none) must be those of the pattern (id): GET /a/{id}'],
  ])('that do not fit %s are rejected, and the route is not taken', (pattern, handler, text) => {
    const http = createHttpRouter();
    expect(() => http.get(pattern, handler)).toThrow(
      expect.failure('app.bad_request', `the names of bind({ params }) ${text}`),
    );
    expect(http.get(pattern, ok).routes()).toHaveLength(1);
  });

  it('are compared with the prefixes of groups too', () => {
    const handler = bound({ tenant: field, id: field });
    const define = (inner: Handler) => (routes: RouteGroup) =>
      routes.group('/x', {}, (x) => {
        x.get('/{id}', inner);
      });
    expect(routesOf(define(handler), '/t/{tenant}')).toEqual(['GET /t/{tenant}/x/{id}']);
    expect(() => routesOf(define(bound({ id: field })), '/t/{tenant}')).toThrow(
      expect.failure(
        'app.bad_request',
        'the names of bind({ params }) (id) must be those of the pattern (tenant, id): GET /t/{tenant}/x/{id}',
      ),
    );
  });

  it('do not compile on another pattern', () => {
    const byField = bind({ params: { orderId: { type: 'int' } } }, () => null);
    const byZod = bind({ params: z.object({ orderId: z.coerce.number() }) }, () => null);
    const byName = bind({ params: { id: { type: 'int', name: 'order-id' } } }, () => null);
    const compiled = (http: HttpRouter) => {
      http.get('/a/{orderId}', byField).put('/a/{orderId}', byZod).post('/a/{order-id}', byName);
      // @ts-expect-error the pattern contains `id`
      http.get('/b/{id}', byField);
      // @ts-expect-error the pattern contains `id`
      http.put('/b/{id}', byZod);
      // @ts-expect-error the name on the wire is `order-id`
      http.post('/b/{id}', byName);
      http.get(String('/c'), byField);
      group(http, '/d/{orderId}', {}, (routes) => routes.get('/', byField));
      // @ts-expect-error the prefix and the pattern do not contain `orderId`
      group(http, '/e/{id}', {}, (routes) => routes.get('/', byField));
    };
    expect(compiled).toBeInstanceOf(Function);
  });
});
