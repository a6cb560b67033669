import type { Middleware } from '@sallyport/core';
import { bind, json } from '@sallyport/http';
import {
  Authenticated,
  defineRoutes,
  InternalOnly,
  Optional,
  Public,
  SecureApp,
  type SecureRoutes,
} from '@sallyport/secure';

const handler = () => json(200, 1);
const pass: Middleware = (ctx, next) => next(ctx);

/** A group as JavaScript sees it: without types, everything can be tried. */
type Any = SecureRoutes & Record<'get' | 'group', (...args: unknown[]) => Any>;
const untyped = (app: SecureApp) => app as unknown as Any;

const postures = (app: SecureApp) =>
  app
    .routes()
    .map(({ method, path, posture, scopes = [] }) => `${method} ${path} ${posture} ${scopes.join(' ')}`.trim());

describe('the posture of a registration', () => {
  it('is its own, or the posture of the nearest group', () => {
    const app = new SecureApp();
    app.group('/orders', { posture: Authenticated('orders') }, (orders) => {
      orders.get('/', handler).get('/{id}', handler, { streaming: true });
      orders.get('/about', handler, Public()).delete('/{id}', handler, Authenticated('orders:delete'), { use: [pass] });
      orders.group('/reports', {}, (reports) => {
        reports.get('/', handler).get('/mine', handler, Optional());
        reports.group('/internal', { posture: InternalOnly() }, (internal) => internal.get('/', handler));
        reports.get('/after', handler);
      });
    });
    app.group('/open', { posture: Public() }, (open) => open.get('/', handler));
    app.group('/', {}, (root) => root.get('/stated', handler, Authenticated()));
    expect(postures(app)).toEqual([
      'GET /orders authenticated orders',
      'GET /orders/{id} authenticated orders',
      'GET /orders/about public',
      'DELETE /orders/{id} authenticated orders:delete',
      'GET /orders/reports authenticated orders',
      'GET /orders/reports/mine optional',
      'GET /orders/reports/internal internal_only',
      'GET /orders/reports/after authenticated orders',
      'GET /open public',
      'GET /stated authenticated',
    ]);
  });

  it('is required by the gate, and shown by explain', async () => {
    const app = new SecureApp({ principalResolver: () => ({ identity: 'ada', scopes: ['orders'] }) });
    app.group('/orders', { posture: Authenticated('orders') }, (orders) => {
      orders.get('/', handler).get('/all', handler, Authenticated('admin'));
    });
    expect((await app.serve({ method: 'GET', path: '/orders' })).status).toBe(200);
    expect((await app.serve({ method: 'GET', path: '/orders/all' })).status).toBe(403);
    const event = {
      version: '2.0',
      rawPath: '/orders',
      requestContext: { http: { method: 'GET', path: '/orders' }, domainName: 'x.execute-api.eu-west-1.amazonaws.com' },
    };
    expect(app.explain(event)).toMatchObject({ target: { posture: 'Authenticated(orders)', route: 'GET /orders' } });
  });

  it.each<[string, (app: Any) => unknown, string]>([
    [
      'none at all',
      (app) => app.group('/a', {}, (routes: Any) => routes.get('/b', handler)),
      'invalid auth posture: GET /a/b has no posture: did you forget to call Public()?',
    ],
    [
      'options in its place, where no group has one',
      (app) => app.group('/a', {}, (routes: Any) => routes.get('/b', handler, { streaming: true })),
      'invalid auth posture: GET /a/b has a posture that this package did not make: use Public(), Optional(), Authenticated(), AuthenticatedAnyOf() or InternalOnly()',
    ],
    ['in front of the handler', (app) => app.get('/a', Public(), handler), 'route handler must be a function: GET /a'],
    [
      'a factory of a group',
      (app) => app.group('/a', { posture: Public }, () => {}),
      'invalid auth posture: group /a has the function Public for a posture: call it, Public()',
    ],
    [
      'blank pattern',
      (app) => app.group('/a', { posture: Public() }, (routes: Any) => routes.get(' ', handler)),
      'invalid route pattern: GET (blank)',
    ],
  ])('is rejected: %s', (_, register, message) => {
    const app = new SecureApp();
    expect(() => register(untyped(app))).toThrow(expect.failure('app.bad_request', message));
    expect(app.routes()).toEqual([]);
  });

  it.each<[string, readonly unknown[], string]>([
    ['a second posture', [Public(), Public()], 'unknown option "kind"'],
    ['options twice', [{}, {}], 'too many arguments'],
    ['a posture behind options', [{}, Public()], 'too many arguments'],
    ['three', [Public(), {}, {}], 'too many arguments'],
    ['an unknown option', [{ posture: Public() }], 'unknown option "posture"'],
  ])('accepts only %s', (_, rest, message) => {
    const app = new SecureApp();
    const register = (routes: Any) => routes.get('/b', handler, ...rest);
    expect(() => untyped(app).group('/a', { posture: Authenticated() }, register)).toThrow(
      expect.failure('app.invalid_configuration', message),
    );
    expect(app.routes()).toEqual([]);
  });
});

describe('middlewares of groups and routes', () => {
  it('run after the gate', async () => {
    const ran: string[] = [];
    const count =
      (name: string): Middleware =>
      (ctx, next) => {
        ran.push(name);
        return next(ctx);
      };
    const app = new SecureApp({ principalResolver: (ctx) => ({ identity: ctx.header('x-user') || '' }) });
    app.use(count('app')).group('/a', { posture: Authenticated(), use: [count('group')] }, (routes) => {
      routes.get('/', handler, { use: [count('route')] });
    });
    expect((await app.serve({ method: 'GET', path: '/a' })).status).toBe(401);
    expect(ran).toEqual([]);
    expect((await app.serve({ method: 'GET', path: '/a', headers: { 'x-user': 'ada' } })).status).toBe(200);
    expect(ran).toEqual(['app', 'group', 'route']);
  });
});

describe('the OpenAPI document', () => {
  it('has the contract of a bound handler with middlewares, and the tags of groups', () => {
    const app = new SecureApp();
    const create = bind({ body: { title: { type: 'string' } }, status: 201 }, (_ctx, { body }) => body);
    app.group('/notes', { posture: Public(), tags: ['notes'] }, (notes) => {
      notes.post('/', create, { use: [pass] });
      notes.group('/old', { tags: ['old', 'notes'] }, (old) => old.get('/', handler).get('/own', handler));
    });
    const { paths } = app.generateOpenAPI({
      title: 'T',
      version: '1',
      routes: [
        { method: 'POST', path: '/notes', operationId: 'create' },
        { method: 'GET', path: '/notes/old', operationId: 'old' },
        { method: 'GET', path: '/notes/old/own', operationId: 'own', tags: ['mine'] },
      ],
      securitySchemes: {},
      authSchemes: { authenticated: [], internalOnly: [] },
    });
    expect(paths).toMatchObject({
      '/notes': { post: { tags: ['notes'], requestBody: expect.anything(), responses: { 201: expect.anything() } } },
      '/notes/old': { get: { tags: ['notes', 'old'] } },
      '/notes/old/own': { get: { tags: ['mine'] } },
    });
    expect(app.routes().map(({ tags }) => tags)).toEqual([['notes'], ['notes', 'old'], ['notes', 'old']]);
  });
});

describe('defineRoutes', () => {
  it('makes a module whose routes have the posture of where they are mounted', () => {
    const orders = defineRoutes((routes) => {
      routes.get('/', handler).get('/own', handler, Public());
    });
    const app = new SecureApp();
    app.group('/a', { posture: Authenticated('a') }, orders).group('/b', { posture: InternalOnly() }, orders);
    expect(postures(app)).toEqual([
      'GET /a authenticated a',
      'GET /a/own public',
      'GET /b internal_only',
      'GET /b/own public',
    ]);
  });
});
