import {
  createDynamoRateLimiter,
  createMemoryRateLimiter,
  type DynamoRateLimiter,
  type DynamoRateLimiterOptions,
  type Strategy,
} from '@sallyport/ratelimit';
import { KEY, START_MS, WallClock } from './dynamo.js';

/** A random load on one key. */
export interface Load {
  readonly strategy: Strategy;
  /** Requests in each second. */
  readonly perSecond: number;
  readonly seconds: number;
  readonly instances: number;
  /** Number of requests after which an instance is killed with its units. */
  readonly killEach?: number;
  readonly options: Pick<DynamoRateLimiterOptions, 'reserve' | 'shardAbove'>;
  readonly client: NonNullable<DynamoRateLimiterOptions['client']>;
  readonly tableName: string;
  readonly identifier?: string;
  /** The same seed is the same load. */
  readonly seed: number;
}

export interface Outcome {
  readonly requests: number;
  /** Requests that the fleet denied. */
  readonly denied: number;
  /** Requests that an exact limiter denies of the same load. */
  readonly above: number;
  /** Admitted requests that an exact limiter would have denied, given only the admitted requests. */
  readonly exceeded: number;
}

/** Numbers from 0 to 1 that look random. */
export function seeded(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** A Poisson process on a virtual clock, each request on a random instance of a fleet. */
export async function run(load: Load): Promise<Outcome> {
  const { strategy, perSecond, seconds, instances, killEach, options, client, tableName, identifier = 'load' } = load;
  const random = seeded(load.seed);
  const clock = new WallClock();
  const key = { ...KEY, identifier };
  const start = (): DynamoRateLimiter =>
    createDynamoRateLimiter({
      strategy,
      client,
      tableName,
      clock,
      onStoreError: 'deny',
      log: false,
      storeTimeoutMs: 30_000,
      ...options,
    });
  const fleet = Array.from({ length: instances }, start);
  const exact = createMemoryRateLimiter({ strategy, clock });
  const judge = createMemoryRateLimiter({ strategy, clock });
  let [elapsed, requests, denied, above, exceeded] = [0, 0, 0, 0, 0];
  for (;;) {
    elapsed += (-Math.log(1 - random()) * 1000) / perSecond;
    if (elapsed > seconds * 1000) return { requests, denied, above, exceeded };
    clock.ms = START_MS + Math.floor(elapsed);
    const place = Math.floor(random() * instances);
    requests += 1;
    if (killEach !== undefined && requests % killEach === 0) fleet[place] = start();
    const decision = await fleet[place]?.consume(key);
    if (decision?.degraded) throw new Error('the store failed');
    if (!(await exact.consume(key)).allowed) above += 1;
    if (!decision?.allowed) denied += 1;
    else if (!(await judge.consume(key)).allowed) exceeded += 1;
  }
}
