import { durable, durableExecutions } from '@sallyport/durable';
import { buildQueueEvent, type TestEnv } from '@sallyport/testkit';
import type { KillPlan } from '../src/testing/internal/kill.js';
import { drive } from '../src/testing/run-durable.js';
import type { DurableRun } from '../src/testing/types.js';

/** Seeds of the large batch: 500 before a release, for about ten minutes. */
const SEEDS = Number(process.env.DURABLE_KILL_SEEDS ?? 1);
/** The first seed, so that a run can be continued. */
const FIRST = Number(process.env.DURABLE_KILL_FROM ?? 0);
/** Half of a run is waiting for timers of the SDK. */
const AT_ONCE = 4;

const batchOf = (records: number) =>
  buildQueueEvent(
    'arn:aws:sqs:eu-west-1:123456789012:orders',
    Array.from({ length: records }, (_, n) => ({ messageId: `m-${n}`, body: `${n}` })),
  );

/** True for records whose last step fails. */
const isBroken = (n: number) => n % 10 === 3;

function randomOf(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Kills in every second invocation at most, so that the next one records what was interrupted. */
function randomKills(seed: number): { readonly plan: KillPlan; readonly kills: readonly string[] } {
  const random = randomOf(seed);
  const kills: string[] = [];
  let isSafe = false;
  return {
    kills,
    plan: (at) => {
      if (at === 'answer') {
        const dies = !isSafe && random() < 0.3;
        isSafe = dies;
        if (dies) kills.push(at);
        return dies;
      }
      if (isSafe || random() > 0.05) return false;
      isSafe = true;
      kills.push(at);
      return true;
    },
  };
}

/** Runs the batch with the kills of a seed; `effects` counts what happened in other systems. */
async function run(event: ReturnType<typeof batchOf>, seed: number) {
  const effects = new Map<string, number>();
  const effect = (name: string) => effects.set(name, (effects.get(name) ?? 0) + 1);
  const build = (env: TestEnv) => {
    const app = env.app({ surfaces: [durableExecutions()] });
    app.queue(
      'orders',
      durable(async (ctx, { body }) => {
        const n = Number(body);
        await ctx.step('reserve', () => void effect(`reserve ${n}`));
        await ctx.wait('pause', { minutes: 1 + (n % 5) });
        await ctx.step('pay', () => void effect(`pay ${n}`), { effect: 'atMostOnce' });
        await ctx.step('mail', () => {
          effect(`mail ${n}`);
          if (isBroken(n)) throw new Error('no address');
        });
      }),
    );
    return app;
  };
  const { plan, kills } = randomKills(seed);
  const done = await drive(build, event, { maxInvocations: 500 }, { kills: plan });
  return { done, effects, kills };
}

/** The failed records by the history: their last step is broken, or a kill interrupted the step that runs at most once. */
function failedIn({ operations }: DurableRun, records: number): string[] {
  const lanes = new Map(operations.filter(({ Type }) => Type === 'CONTEXT').map(({ Id, Name = '' }) => [Id, Name]));
  const interrupted = operations.flatMap(({ Name, Status, ParentId = '' }) =>
    Name === 'pay' && Status === 'FAILED' ? [lanes.get(ParentId) ?? ''] : [],
  );
  return Array.from({ length: records }, (_, n) => n)
    .filter((n) => isBroken(n) || interrupted.includes(`queue ${n} m-${n}`))
    .map((n) => `m-${n}`);
}

interface Totals {
  kills: number;
  repeated: number;
}

async function check(records: number, seed: number, totals: Totals): Promise<void> {
  const { done, effects, kills } = await run(batchOf(records), seed);
  totals.kills += kills.length;
  const counts = (name: string, wanted: (count: number) => boolean) =>
    [...effects].filter(([effect, count]) => effect.startsWith(name) && wanted(count)).map(([effect]) => effect);
  totals.repeated += counts('', (count) => count === 2).length;
  expect({
    seed,
    status: done.status,
    result: done.result,
    paidTwice: counts('pay', (count) => count > 1),
    moreThanTwice: counts('', (count) => count > 2),
    reserved: counts('reserve', () => true).length,
    unkilled: repeatedWithoutKill(done, kills.length),
  }).toEqual({
    seed,
    status: 'SUCCEEDED',
    result: { batchItemFailures: failedIn(done, records).map((itemIdentifier) => ({ itemIdentifier })) },
    paidTwice: [],
    moreThanTwice: [],
    reserved: records,
    unkilled: [],
  });
}

/** Steps that ran twice although the invocation of their first run was not killed, or twice in one invocation. */
function repeatedWithoutKill({ bodies, invocations }: DurableRun, kills: number): string[] {
  const seen = new Map<string, number>();
  const repeated = bodies.flatMap(({ operationId, invocation, name }) => {
    const before = seen.get(operationId);
    seen.set(operationId, invocation);
    return before === undefined ? [] : [{ name, before, invocation }];
  });
  // A repeated function follows a kill: it is in the next invocation, and there are no more such pairs than kills.
  const pairs = new Set(repeated.map(({ before, invocation }) => `${before} ${invocation}`));
  const wrong = repeated.filter(({ before, invocation }) => invocation !== before + 1 || invocation > invocations);
  return [...wrong.map(({ name }) => name), ...(pairs.size > kills ? ['more repeated invocations than kills'] : [])];
}

test.each([
  { records: 10, seeds: 6, first: 0 },
  { records: 100, seeds: SEEDS, first: FIRST },
])(
  'a batch of $records records keeps its report under random kills, with $seeds seeds',
  async ({ records, seeds, first }) => {
    const totals: Totals = { kills: 0, repeated: 0 };
    for (let done = 0; done < seeds; done += AT_ONCE) {
      const group = Array.from({ length: Math.min(AT_ONCE, seeds - done) }, (_, n) => first + done + n);
      await Promise.all(group.map((seed) => check(records, seed, totals)));
      if (seeds >= 50 && done % 20 === 0) {
        process.stderr.write(
          `seeds ${first} to ${group.at(-1)}: ${totals.kills} kills, ${totals.repeated} effects twice\n`,
        );
      }
    }
    expect(totals.kills).toBeGreaterThan(seeds);
    expect(totals.repeated).toBeGreaterThan(seeds);
  },
  3_600_000,
);
