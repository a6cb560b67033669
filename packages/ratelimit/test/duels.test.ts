import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  createLocalClient,
  createTable,
  dynamodbEndpoint,
  type FaultProxy,
  SERVER_ERROR,
  startFaultProxy,
  THROTTLED,
} from '@sallyport/dynamodb-local';
import { RATE_LIMIT_TABLE_SCHEMA } from '@sallyport/ratelimit/schema';
import { bundle } from './support/bundle.js';
import type { DuelOrder, Told } from './support/duellist.js';
import { History } from './support/history.js';

const INSTANCES = 8;
const DECISIONS = 200;
/** Number of decisions until the next fault. */
const BETWEEN = 20;

let built: ReturnType<typeof bundle>;
let proxy: FaultProxy;

beforeAll(async () => {
  built = bundle('./duellist.ts');
  proxy = await startFaultProxy(await dynamodbEndpoint());
});

afterAll(async () => {
  built.remove();
  await proxy.stop();
});

/** A sequence that looks random and is the same in each run. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

type Duel = Pick<DuelOrder, 'strategy' | 'limit' | 'windowMs'> & Partial<DuelOrder>;

interface Outcome {
  readonly history: History;
  readonly kills: number;
  readonly freezes: number;
}

/** Eight instances that are killed, frozen and disconnected from the table during decisions. */
async function fight(duel: Duel, skews: readonly number[], faultEach: number): Promise<Outcome> {
  const client = await createLocalClient();
  const tableName = await createTable(client, RATE_LIMIT_TABLE_SCHEMA);
  client.destroy();
  const random = sequence(7);
  proxy.clear();
  for (const fault of [SERVER_ERROR, THROTTLED, { kind: 'reset' }, { kind: 'lost-answer' }] as const) {
    proxy.inject(fault, { when: () => random() < faultEach });
  }
  const order = { endpoint: proxy.endpoint, tableName, reserve: 0, plantsFault: false, ...duel };
  const stamps: number[] = [];
  const places: ChildProcess[] = [];
  let [told, kills, freezes] = [0, 0, 0];
  let frozen: ChildProcess | undefined;
  let isOver: () => void = () => {};
  const over = new Promise<void>((resolve) => {
    isOver = resolve;
  });
  const start = (place: number) => {
    const skewMs = skews[place % skews.length] ?? 0;
    const instance = fork(built.program, [JSON.stringify({ ...order, skewMs })]);
    places[place] = instance;
    instance.on('message', ({ allowed, degraded, atMs }: Told) => {
      // A killed instance can leave unread messages, which arrive after the end: a fault for one of them would start a process that is never killed.
      if (told === DECISIONS) return;
      told += 1;
      if (allowed && !degraded) stamps.push(atMs);
      if (told === DECISIONS) isOver();
      else if (told % BETWEEN === 0) strike();
    });
  };
  const strike = () => {
    frozen?.kill('SIGCONT');
    frozen = undefined;
    const place = Math.floor(random() * INSTANCES);
    const victim = places[place];
    // In turn: how many there are of each must not be left to chance.
    if (kills <= freezes) {
      victim?.kill('SIGKILL');
      kills += 1;
      start(place);
    } else {
      victim?.kill('SIGSTOP');
      frozen = victim;
      freezes += 1;
    }
  };
  for (let place = 0; place < INSTANCES; place += 1) start(place);
  await over;
  await Promise.all(
    places.map((instance) => {
      instance.removeAllListeners('message');
      const ended = once(instance, 'exit');
      instance.kill('SIGKILL');
      return ended;
    }),
  );
  return { history: new History(stamps), kills, freezes };
}

const MINUTES = 120_000;
const CLOSE = [-250, 0, 250];
const FAR = [-MINUTES, 0, 0, MINUTES];
const AHEAD = [0, 0, 0, MINUTES];

describe('eight processes that are killed, frozen and cut off', () => {
  it.each<[Duel, readonly number[], (history: History) => number, number]>([
    [{ strategy: 'sliding', limit: 40, windowMs: 1000 }, CLOSE, (history) => history.densest(1000), 40],
    [{ strategy: 'fixed', limit: 40, windowMs: 1000 }, FAR, (history) => history.fullest(1000), 40],
    [{ strategy: 'multi', limit: 40, windowMs: 1000 }, CLOSE, (history) => history.fullest(1000), 40],
    [{ strategy: 'bucket', limit: 40, windowMs: 4000 }, CLOSE, (history) => history.burst(0.01), 41],
    // Some clocks two minutes ahead: the others admit another limit at most.
    [{ strategy: 'sliding', limit: 40, windowMs: 1000 }, AHEAD, (history) => history.densest(1000), 80],
    // Units of killed instances are lost, and no unit is spent twice.
    [
      { strategy: 'fixed', limit: 400, windowMs: 10_000, reserve: 10 },
      CLOSE,
      (history) => history.fullest(10_000),
      400,
    ],
  ])('never exceed their limit by their clocks: %j, clocks apart by %j ms', async (duel, skews, measure, most) => {
    const { history, kills, freezes } = await fight(duel, skews, 0.04);
    expect(measure(history)).toBeLessThanOrEqual(most);
    expect(history.admitted).toBeGreaterThan(40);
    expect([kills > 3, freezes > 3]).toEqual([true, true]);
  });

  it('are found by the check of the history when their writes have no conditions', async () => {
    const duel = { strategy: 'sliding', limit: 5, windowMs: 10_000, plantsFault: true } as const;
    const { history } = await fight(duel, CLOSE, 0);
    expect(history.densest(10_000)).toBeGreaterThan(5);
    expect(history.fullest(10_000)).toBeGreaterThan(5);
    expect(history.burst(0.0005)).toBeGreaterThan(6);
  });
});
