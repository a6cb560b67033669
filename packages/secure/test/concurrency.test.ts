import type { Context, SecurePrincipal } from '@sallyport/core';
import { ManualClock } from '@sallyport/core/testing';
import { json } from '@sallyport/http';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { createLambdaContext } from './support/lambda.js';
import { DOORS, graphqlEvent, readGraphql, readHttp, socketEvent } from './support/operations.js';

/** Queues paused tasks and resumes them one at a time, in an order that depends on a seed. */
function createScheduler(seed: number) {
  const parked: (() => void)[] = [];
  let state = seed;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  return {
    pause: () => new Promise<void>((resolve) => void parked.push(resolve)),
    async run(done: Promise<unknown>): Promise<void> {
      let ended = false;
      void done.finally(() => {
        ended = true;
      });
      while (!ended) {
        await new Promise((resolve) => setImmediate(resolve));
        parked.splice(random(parked.length), 1)[0]?.();
      }
    },
  };
}

const principalOf = (index: number): SecurePrincipal => ({
  identity: `user-${index}`,
  scopes: ['read', `only-${index}`],
  claims: { marker: { deep: [`user-${index}`] } },
  tenantId: `tenant-${index}`,
});

describe('a hundred callers at the same time', () => {
  it.each([1, 2, 3, 4, 5])('never see one another (schedule %i)', async (seed) => {
    const { pause, run } = createScheduler(seed);
    const app = new SecureApp({
      principalResolver: async (ctx) => {
        const index = Number(ctx.header('x-user'));
        await pause();
        return index % 10 === 9 ? null : principalOf(index);
      },
    });
    app.use(async (ctx, next) => {
      ctx.set('who', ctx.authIdentity);
      await pause();
      return next(ctx);
    });
    const handler = async (ctx: Context) => {
      const before = ctx.securePrincipal();
      await pause();
      return json(200, [
        ctx.header('x-user'),
        before,
        ctx.securePrincipal(),
        ctx.tenantId,
        ctx.authIdentity,
        ctx.get('who'),
        ctx.lambdaContext?.tenantId,
      ]);
    };
    const posture = Authenticated('read');
    app.get('/op', handler, posture).appSyncField('Query', 'op', handler, posture).webSocket('op', handler, posture);
    const clock = new ManualClock();
    const calls = Array.from({ length: 100 }, async (_, index) => {
      const headers = { 'x-user': String(index) };
      const lambda = createLambdaContext(clock, { tenantId: `tenant-${index}` });
      const door = DOORS[index % 6];
      if (door) return readHttp(await app.handleLambda(door.event({ headers }), lambda));
      return index % 6 === 4
        ? readGraphql(await app.handleLambda(graphqlEvent({ request: { headers } }), lambda))
        : readHttp(await app.handleLambda(socketEvent({ headers }), lambda));
    });
    const all = Promise.all(calls);
    await run(all);
    const answers = await all;
    for (const [index, { status, body }] of answers.entries()) {
      if (index % 10 === 9) {
        expect([index, status]).toEqual([index, 401]);
        continue;
      }
      const own = { ...principalOf(index), kind: 'external' };
      const name = `user-${index}`;
      const tenant = `tenant-${index}`;
      expect([index, status, body]).toEqual([index, 200, [String(index), own, own, tenant, name, name, tenant]]);
    }
  });
});
