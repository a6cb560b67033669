import {
  createDynamoRateLimiter,
  fixedWindow,
  multiWindow,
  type Strategy,
  slidingWindow,
  tokenBucket,
} from '@sallyport/ratelimit';
import { KEY, START_MS, WallClock } from './support/dynamo.js';
import { seeded } from './support/load.js';
import { ModelTable } from './support/model-table.js';

const LIMIT = 6;
const STRATEGIES: readonly (readonly [string, Strategy])[] = [
  ['fixed window', fixedWindow({ limit: LIMIT, windowMs: 2000 })],
  ['sliding window', slidingWindow({ limit: LIMIT, windowMs: 2000 })],
  [
    'several windows',
    multiWindow([
      { limit: LIMIT, windowMs: 1000 },
      { limit: 2 * LIMIT, windowMs: 4000 },
    ]),
  ],
  ['token bucket', tokenBucket({ capacity: LIMIT, refillPerSecond: 3 })],
];

interface Denial {
  readonly cost: number;
  readonly untilMs: number;
  /** The step of the store's answer that it repeats. */
  readonly answeredAt: number;
}

interface Judged {
  readonly denials: number;
  readonly remembered: number;
  /** Requests that were admitted earlier than the `retryAfterMs` of a denial with the same cost. */
  readonly tooLate: number;
  /** Requests that were denied at the time of an earlier `retryAfterMs`, and how many of them others overtook. */
  readonly tooEarly: number;
  readonly overtaken: number;
}

/** Several instances with requests of one to three units; a denied request is repeated after its `retryAfterMs`. */
async function judge(strategy: Strategy, instances: number, seed: number): Promise<Judged> {
  const random = seeded(seed);
  const table = new ModelTable();
  const clock = new WallClock();
  const settings = { strategy, client: table.client, tableName: 't', clock, onStoreError: 'deny', log: false } as const;
  const fleet = Array.from({ length: instances }, () => createDynamoRateLimiter(settings));
  const counts = { denials: 0, remembered: 0, tooLate: 0, tooEarly: 0, overtaken: 0 };
  let open: (Denial & { readonly place: number })[] = [];
  const answers = new Map<string, number>();
  let admittedAt = -1;
  for (let step = 0; step < 400; step += 1) {
    const due = open.reduce<(typeof open)[number] | undefined>(
      (first, denial) => (first === undefined || denial.untilMs < first.untilMs ? denial : first),
      undefined,
    );
    const next = clock.ms + Math.floor(random() * 400);
    const repeated = due !== undefined && due.untilMs <= next ? due : undefined;
    clock.ms = repeated?.untilMs ?? next;
    const cost = repeated?.cost ?? 1 + Math.floor(random() * 3);
    const place = repeated?.place ?? Math.floor(random() * instances);
    if (repeated) open = open.filter((denial) => denial !== repeated);
    const decision = await fleet[place]?.consume(KEY, { cost });
    if (decision?.allowed) {
      counts.tooLate += open.filter((denial) => cost >= denial.cost && clock.ms < denial.untilMs).length;
      admittedAt = step;
      continue;
    }
    counts.denials += 1;
    if (decision?.source === 'local') counts.remembered += 1;
    else answers.set(`${place} ${cost}`, step);
    if (repeated) counts.tooEarly += 1;
    if (repeated && admittedAt > repeated.answeredAt) counts.overtaken += 1;
    const answeredAt = answers.get(`${place} ${cost}`) ?? step;
    open.push({ cost, place, untilMs: clock.ms + (decision?.retryAfterMs ?? 0), answeredAt });
  }
  return counts;
}

describe('retryAfterMs', () => {
  it.each(STRATEGIES)('of one instance is exact unless other requests use the units: %s', async (_, strategy) => {
    const { denials, tooLate, tooEarly, overtaken } = await judge(strategy, 1, 3);
    expect(denials).toBeGreaterThan(20);
    expect([tooLate, tooEarly - overtaken]).toEqual([0, 0]);
  });

  it.each(STRATEGIES)(
    'of three instances is never too late, and too early only if it was overtaken: %s',
    async (_, strategy) => {
      let [early, remembered] = [0, 0];
      for (let seed = 1; seed <= 10; seed += 1) {
        const judged = await judge(strategy, 3, seed);
        expect([seed, judged.tooLate, judged.tooEarly - judged.overtaken]).toEqual([seed, 0, 0]);
        early += judged.tooEarly;
        remembered += judged.remembered;
      }
      // Otherwise the test would detect no difference.
      expect([early > 0, remembered > 0]).toEqual([true, true]);
    },
  );

  it('of a bucket with several instances is at most half a second later than in an exact bucket', async () => {
    const strategy = tokenBucket({ capacity: 12, refillPerSecond: 3 });
    const random = seeded(9);
    const table = new ModelTable();
    const clock = new WallClock();
    const settings = {
      strategy,
      client: table.client,
      tableName: 't',
      clock,
      onStoreError: 'deny',
      log: false,
    } as const;
    const fleet = [1, 2, 3].map(() => createDynamoRateLimiter({ ...settings, deniedCache: false }));
    const INTERVAL_MS = 1000 / 3;
    let full = START_MS;
    let [latest, denials] = [0, 0];
    for (let step = 0; step < 3000; step += 1) {
      // Phases of few and of many requests.
      clock.ms += Math.floor(random() * (step % 60 < 40 ? 1400 : 300));
      const cost = 1 + Math.floor(random() * 3);
      const { allowed, retryAfterMs = 0 } = (await fleet[step % 3]?.consume(KEY, { cost })) ?? {};
      if (allowed) full = Math.max(full, clock.ms) + cost * INTERVAL_MS;
      else {
        denials += 1;
        latest = Math.max(latest, clock.ms + retryAfterMs - (full - (12 - cost) * INTERVAL_MS));
      }
    }
    expect(denials).toBeGreaterThan(20);
    expect(latest).toBeLessThanOrEqual(502);
    expect(latest).toBeGreaterThan(100);
  });
});
