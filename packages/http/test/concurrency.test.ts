import { json } from '../src/index.js';
import { doors, routerWith, send } from './support/doors.js';

/** Parks the caller it until the scheduler picks it out of all that wait. */
class Scheduler {
  readonly #parked: (() => void)[] = [];
  #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  pause = (): Promise<void> =>
    new Promise((resolve) => {
      this.#parked.push(resolve);
    });

  /** Resumes waiting invocations one after another, in a separate order, until all are done. */
  async drain(done: () => boolean): Promise<void> {
    while (!done()) {
      await new Promise((resolve) => setImmediate(resolve));
      this.#seed = (this.#seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      const [resume] = this.#parked.splice(this.#seed % Math.max(1, this.#parked.length), 1);
      resume?.();
    }
  }
}

it.each([1, 2, 3])('200 invocations interleaved at every await share nothing (seed %d)', async (seed) => {
  const scheduler = new Scheduler(seed);
  const router = routerWith((http) => {
    http.use(async (ctx, next) => {
      ctx.set('mark', ctx.header('x-mark'));
      await scheduler.pause();
      const response = await next(ctx);
      await scheduler.pause();
      response.headers['x-mark'] = [String(ctx.get('mark'))];
      return response;
    });
    http.post('/n/{n}', async (ctx) => {
      const before = [ctx.param('n'), ctx.query('n'), ctx.cookie('n')];
      await scheduler.pause();
      return json(200, [...before, ctx.bodyText(), ctx.header('x-mark'), ctx.tenantId]);
    });
  });
  let finished = 0;
  const runs = Array.from({ length: 200 }, async (_, n) => {
    const got = await send(router, doors[n % doors.length] as (typeof doors)[number], {
      method: 'POST',
      path: `/n/${n}`,
      query: `n=q${n}`,
      headers: { 'x-mark': `m${n}`, 'x-tenant-id': `t${n}` },
      cookies: [`n=c${n}`],
      body: `b${n}`,
    });
    finished += 1;
    expect([got.headers['x-mark'], JSON.parse(got.body.toString())]).toEqual([
      `m${n}`,
      [String(n), `q${n}`, `c${n}`, `b${n}`, `m${n}`, `t${n}`],
    ]);
  });
  await scheduler.drain(() => finished === 200);
  await Promise.all(runs);
});
