import { json } from '@sallyport/http';
import { bySourceIp, fixedWindow, rateLimitMiddleware, rateLimitPolicy } from '@sallyport/ratelimit';
import { createFakeRateLimiter } from '@sallyport/ratelimit/testing';
import { Authenticated, Public, SecureApp, type SecurePrincipal } from '@sallyport/secure';
import { buildAPIGatewayV2Request } from '@sallyport/testkit';
import { WallClock } from './support/dynamo.js';

const clock = new WallClock();
const strategy = fixedWindow({ limit: 1, windowMs: 60_000 });

function createService() {
  const inside = createFakeRateLimiter({ strategy, clock });
  const before = createFakeRateLimiter({ strategy: fixedWindow({ limit: 3, windowMs: 60_000 }), clock });
  const resolved: string[] = [];
  const app = new SecureApp({
    clock,
    policyHook: rateLimitPolicy({ limiter: before, extractIdentifier: bySourceIp() }),
    principalResolver: (ctx) => {
      const session = ctx.cookie('session') ?? '';
      resolved.push(session);
      return session === 'good' ? { identity: 'user-1', tenantId: 'acme' } : null;
    },
  });
  app.use(rateLimitMiddleware({ limiter: inside }));
  app.get('/notes/{id}', () => json(200, {}), Authenticated());
  app.get('/health', () => json(200, {}), Public());
  const get = async (path: string, cookies: string[] = [], sourceIp = '192.0.2.1') => {
    const answer = await app.handleLambda(buildAPIGatewayV2Request('GET', path, { cookies, sourceIp }));
    return (answer as { statusCode: number }).statusCode;
  };
  return { get, inside, before, resolved };
}

describe('in the closed container', () => {
  it('the middleware does not count callers that the gate rejected', async () => {
    const { get, inside } = createService();
    expect(await get('/notes/1', ['session=bad'])).toBe(401);
    expect(inside.calls).toEqual([]);
  });

  it('the middleware counts each verified caller, and all unverified ones together', async () => {
    const { get, inside } = createService();
    expect([await get('/notes/1', ['session=good']), await get('/notes/2', ['session=good'])]).toEqual([200, 429]);
    expect(await get('/health')).toBe(200);
    expect(inside.calls.map(({ key }) => [key.kind, key.identifier, key.resource])).toEqual([
      ['auth', 'user-1', '/notes/{id}'],
      ['auth', 'user-1', '/notes/{id}'],
      ['anonymous', 'anonymous', '/health'],
    ]);
  });

  it('an invented credential besides the verified one does not get a new bucket', async () => {
    const limiter = createFakeRateLimiter({ strategy, clock });
    const app = new SecureApp({ clock, principalResolver: () => ({ identity: 'user-1', tenantId: 'acme' }) });
    app.use(rateLimitMiddleware({ limiter })).get('/notes', () => json(200, {}), Authenticated());
    const statuses: number[] = [];
    for (const headers of [{}, { 'x-api-key': 'invented' }, { authorization: 'Bearer invented' }]) {
      const answer = await app.handleLambda(buildAPIGatewayV2Request('GET', '/notes', { headers }));
      statuses.push((answer as { statusCode: number }).statusCode);
    }
    expect(statuses).toEqual([200, 429, 429]);
    expect(limiter.calls.map(({ key }) => [key.kind, key.identifier, key.caller])).toEqual(
      Array(3).fill(['auth', 'user-1', '["external","user-1","acme"]']),
    );
  });

  it('callers with the same name are distinguished by kind and tenant', async () => {
    const limiter = createFakeRateLimiter({ strategy, clock });
    const callers: SecurePrincipal[] = [
      { identity: 'billing' },
      { identity: 'billing', kind: 'internal' },
      { identity: 'billing', tenantId: 'a' },
      { identity: 'billing', tenantId: 'b' },
      { identity: 'billing', tenantId: 'b' },
    ];
    const left = [...callers];
    const app = new SecureApp({ clock, principalResolver: () => left.shift() });
    app.use(rateLimitMiddleware({ limiter })).get('/notes', () => json(200, {}), Authenticated());
    const statuses: number[] = [];
    for (const _ of callers) {
      const answer = await app.handleLambda(buildAPIGatewayV2Request('GET', '/notes'));
      statuses.push((answer as { statusCode: number }).statusCode);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
  });

  it('the policy hook stops a flood of bad credentials before they are read', async () => {
    const { get, before, resolved } = createService();
    const statuses = [];
    for (const guess of ['a', 'b', 'c', 'd', 'e']) statuses.push(await get('/notes/1', [`session=${guess}`]));
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect(resolved).toEqual(['a', 'b', 'c']);
    expect(before.calls[0]?.key).toMatchObject({ kind: 'custom', identifier: 'ip:192.0.2.1' });
    expect(await get('/notes/1', ['session=f'], '192.0.2.2')).toBe(401);
  });
});
