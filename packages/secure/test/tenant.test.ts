import { ManualClock } from '@sallyport/core/testing';
import { json } from '@sallyport/http';
import { Authenticated, Optional, Public, SecureApp } from '@sallyport/secure';
import { createLambdaContext } from './support/lambda.js';
import { DOORS, graphqlEvent, readGraphql, readHttp, send, socketEvent } from './support/operations.js';

interface Case {
  readonly runtime?: string;
  readonly principal?: string;
  readonly header?: string;
  readonly trust?: boolean;
}

const postures = { public: Public(), optional: Optional(), authenticated: Authenticated() };

function build({ principal, trust }: Case, posture: keyof typeof postures) {
  const seen: string[] = [];
  const app = new SecureApp({
    ...(trust === undefined ? {} : { trustTenantHeader: trust }),
    policyHook: (ctx) => {
      seen.push(ctx.tenantId);
      return null;
    },
    principalResolver: () => ({ identity: 'ada', ...(principal === undefined ? {} : { tenantId: principal }) }),
  });
  const handler = (ctx: { tenantId: string }) => json(200, ctx.tenantId);
  app.get('/op', handler, postures[posture]);
  app.appSyncField('Query', 'op', handler, postures[posture]);
  app.webSocket('op', handler, postures[posture]);
  return { app, seen };
}

describe('tenant', () => {
  // The outcome at `authenticated`, the outcome at `public`, the tenant in the policy hook.
  it.each<[Case, string | number, string, string]>([
    [{}, '', '', ''],
    [{ runtime: 'r' }, 'r', 'r', 'r'],
    [{ runtime: ' r ' }, 'r', 'r', 'r'],
    [{ runtime: ' ' }, '', '', ''],
    [{ principal: 'p' }, 'p', '', ''],
    [{ principal: ' p ' }, 'p', '', ''],
    [{ runtime: 'r', principal: 'r' }, 'r', 'r', 'r'],
    [{ runtime: 'r', principal: 'p' }, 403, 'r', 'r'],
    [{ header: 'h' }, '', '', ''],
    [{ header: 'h', trust: false }, '', '', ''],
    [{ header: 'h', trust: true }, 'h', 'h', 'h'],
    [{ header: ' ', trust: true }, '', '', ''],
    [{ header: 'h', trust: true, runtime: 'r' }, 'r', 'r', 'r'],
    [{ header: 'h', trust: true, principal: 'p' }, 'p', 'h', 'h'],
    [{ header: 'h', trust: true, runtime: 'r', principal: 'p' }, 403, 'r', 'r'],
    [{ header: 'h', trust: true, runtime: 'r', principal: 'r' }, 'r', 'r', 'r'],
  ])('%j', async (given, authenticated, open, policy) => {
    const lambda =
      given.runtime === undefined ? undefined : createLambdaContext(new ManualClock(), { tenantId: given.runtime });
    const headers: Record<string, string> = given.header === undefined ? {} : { 'x-tenant-id': given.header };
    for (const [posture, expected] of [
      ['authenticated', authenticated],
      ['optional', authenticated],
      ['public', open],
    ] as const) {
      const { app, seen } = build(given, posture);
      const answers = await Promise.all([
        ...DOORS.map((door) => send(app, door, { headers }, lambda)),
        app.handleLambda(graphqlEvent({ request: { headers } }), lambda).then(readGraphql),
        app.handleLambda(socketEvent({ headers }), lambda).then(readHttp),
      ]);
      for (const { status, body, code } of answers) {
        if (expected === 403) expect([posture, status, code]).toEqual([posture, 403, 'app.forbidden']);
        else expect([posture, status, body]).toEqual([posture, 200, expected]);
      }
      expect(new Set(seen)).toEqual(new Set([policy]));
    }
  });

  it('never comes from the query or the path', async () => {
    const app = new SecureApp({ trustTenantHeader: true });
    app.get('/tenants/{tenant}', (ctx) => json(200, [ctx.tenantId, ctx.param('tenant')]), Public());
    const answer = await app.serve({ method: 'GET', path: '/tenants/evil?tenant=evil&x-tenant-id=evil' });
    expect(JSON.parse(Buffer.from(answer.body).toString())).toEqual(['', 'evil']);
  });

  it('is the anonymous caller’s own at an optional operation', async () => {
    const app = new SecureApp({ principalResolver: () => null });
    app.get('/op', (ctx) => json(200, ctx.tenantId), Optional());
    const lambda = createLambdaContext(new ManualClock(), { tenantId: 'r' });
    for (const door of DOORS) expect((await send(app, door, {}, lambda)).body).toBe('r');
  });
});
