/**
 * What a limiter does at a size that no test reaches: 1,000,000 tenants and 100,000 decisions a second.
 * `node --conditions=@sallyport/source --import tsx packages/ratelimit/bench/simulate.ts [seconds]`
 *
 * Tenants are drawn by Zipf's law with the exponent 1, instances at random. Every tenant asks for half of its limit, a sliding window
 * of a minute: what is degraded or denied is a fault of the store or of the limiter. The table takes 1,000 writes a second for each
 * partition and throttles the rest; a throttled decision is a degraded one. Partitions behave as AWS documents it: a partition that
 * throttles gives up its busiest item, which gets a partition of its own, and one item never gets more than one partition.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/burst-adaptive-capacity.html
 * AWS does not say after which time that happens; here it is after ten seconds. Burst capacity is left out.
 */
import { shardsOf } from '../src/limiter/internal/shards.js';

const TENANTS = 1_000_000;
const DECISIONS_PER_SECOND = 100_000;
/** Each of 2,000 instances answers 50 requests a second; of 100, as processes that serve many at once, 1,000. */
const FLEETS = [2000, 100];
const PARTITIONS = 120;
const WRITES_PER_PARTITION = 1000;
const ISOLATION_SECONDS = 10;
const GRANULE_SECONDS = 6;
const GRANULES = 10;
/** On demand, us-east-1, standard table class, 2026-11-22: https://aws.amazon.com/dynamodb/pricing/on-demand/ */
const DOLLARS_PER_MILLION_WRITES = 0.625;
const SECONDS_PER_MONTH = 730 * 3600;
/** The numbers of `reservations.ts`. */
const GROWTH = 3;
const PART_OF_ROOM = 4;

interface Variant {
  readonly name: string;
  readonly reserve: number;
  readonly shardAbove: number | undefined;
}

interface Result {
  readonly degraded: number;
  readonly denied: number;
  readonly writes: number;
}

const VARIANTS: readonly Variant[] = [
  { name: 'one item a key', reserve: 0, shardAbove: undefined },
  { name: '`shardAbove: 500`', reserve: 0, shardAbove: 500 },
  { name: '`reserve: 10`', reserve: 10, shardAbove: undefined },
  { name: '`reserve: 10`, `shardAbove: 500`', reserve: 10, shardAbove: 500 },
  { name: '`reserve: 100`, `shardAbove: 500`', reserve: 100, shardAbove: 500 },
];

const seconds = Number(process.argv[2] ?? 60);
const weights = zipf(TENANTS);
const drawTenant = alias(weights);
function row({ name }: Variant, instances: number, { degraded, denied, writes }: Result): string {
  const decisions = seconds * DECISIONS_PER_SECOND;
  const units = writes / decisions;
  const million = units * DOLLARS_PER_MILLION_WRITES;
  const month = (million * DECISIONS_PER_SECOND * SECONDS_PER_MONTH) / 1e6;
  const share = (count: number) => `${((100 * count) / decisions).toFixed(2)} %`;
  const cells = [
    instances,
    name,
    share(degraded),
    share(denied),
    units.toFixed(3),
    million.toFixed(3),
    Math.round(month / 1000) * 1000,
  ];
  return `| ${cells.map((cell) => cell.toLocaleString('en-US')).join(' | ')} |`;
}

/** Units that an instance holds of a key, and what it asked for, in one granule. */
interface Held {
  units: number;
  demand: number;
}

function simulate({ reserve, shardAbove }: Variant, instances: number): Result {
  const table = new Table();
  const limits = weights.map((weight) => Math.max(10, Math.ceil(2 * 60 * DECISIONS_PER_SECOND * weight)));
  const shards = limits.map((limit) => shardsOf([{ name: 'default', windowMs: 60_000, limit }], shardAbove));
  const counted = new Counts();
  let [degraded, denied, writes] = [0, 0, 0];
  let [held, heldBefore] = [new Map<number, Held>(), new Map<number, Held>()];
  for (let second = 0; second < seconds; second += 1) {
    table.tick(second);
    if (second % GRANULE_SECONDS === 0) {
      [held, heldBefore] = [new Map(), held];
      counted.tick();
    }
    for (let decision = 0; decision < DECISIONS_PER_SECOND; decision += 1) {
      const tenant = drawTenant();
      const pair = tenant * instances + Math.floor(Math.random() * instances);
      const own = reserve === 0 ? undefined : heldOf(held, pair);
      const asked = own?.demand ?? 0;
      if (own) own.demand += 1;
      if (own && own.units > 0) {
        own.units -= 1;
        continue;
      }
      const before = heldBefore.get(pair);
      const unspent = before?.units ?? 0;
      const room = (limits[tenant] ?? 0) - counted.of(tenant) + unspent - 1;
      if (room < 0) {
        denied += 1;
        continue;
      }
      const shard = Math.floor(Math.random() * (shards[tenant] ?? 1));
      if (!table.write(tenant * 128 + shard)) {
        degraded += 1;
        continue;
      }
      writes += 1;
      const wanted = GROWTH * Math.max(asked, before?.demand ?? 0);
      const ahead = own ? Math.min(reserve, wanted, Math.floor(room / PART_OF_ROOM)) : 0;
      if (own) own.units += ahead;
      if (before) before.units = 0;
      counted.add(tenant, 1 + ahead, unspent);
    }
  }
  return { degraded, denied, writes };
}

function heldOf(held: Map<number, Held>, pair: number): Held {
  const known = held.get(pair);
  if (known) return known;
  const fresh = { units: 0, demand: 0 };
  held.set(pair, fresh);
  return fresh;
}

/** What each tenant has counted in the granules of a sliding window. */
class Counts {
  readonly #granules = Array.from({ length: GRANULES + 1 }, () => new Int32Array(TENANTS));
  readonly #total = new Int32Array(TENANTS);
  #now = 0;

  tick(): void {
    this.#now = (this.#now + 1) % this.#granules.length;
    const oldest = this.#granules[this.#now];
    oldest?.forEach((count, tenant) => {
      this.#total[tenant] = (this.#total[tenant] ?? 0) - count;
    });
    oldest?.fill(0);
  }

  of(tenant: number): number {
    return this.#total[tenant] ?? 0;
  }

  /** Units that are given back were taken in the granule before. */
  add(tenant: number, units: number, back: number): void {
    const [now, before] = [this.#granules[this.#now], this.#granules.at(this.#now - 1)];
    if (now) now[tenant] = (now[tenant] ?? 0) + units;
    if (before) before[tenant] = (before[tenant] ?? 0) - back;
    this.#total[tenant] = (this.#total[tenant] ?? 0) + units - back;
  }
}

/** Partitions with their writes of the present second. */
class Table {
  readonly #isolated = new Map<number, number>();
  #partitions = PARTITIONS;
  #written = new Int32Array(PARTITIONS);
  /** Throttled writes of each item since items were isolated last. */
  #throttled = new Map<number, number>();

  tick(second: number): void {
    if (second % ISOLATION_SECONDS === 0) this.#isolate();
    this.#written = new Int32Array(this.#partitions);
  }

  /** Whether the item's partition takes the write. */
  write(item: number): boolean {
    const partition = this.#isolated.get(item) ?? hashOf(item) % PARTITIONS;
    const written = this.#written[partition] ?? 0;
    if (written >= WRITES_PER_PARTITION) {
      this.#throttled.set(item, (this.#throttled.get(item) ?? 0) + 1);
      return false;
    }
    this.#written[partition] = written + 1;
    return true;
  }

  /** The busiest item of each partition that throttled gets a partition of its own. */
  #isolate(): void {
    const busiest = new Map<number, number>();
    for (const [item, count] of this.#throttled) {
      const partition = this.#isolated.get(item) ?? hashOf(item) % PARTITIONS;
      const best = busiest.get(partition);
      if (best === undefined || count > (this.#throttled.get(best) ?? 0)) busiest.set(partition, item);
    }
    for (const item of busiest.values()) {
      if (this.#isolated.has(item)) continue;
      this.#isolated.set(item, this.#partitions);
      this.#partitions += 1;
    }
    this.#throttled = new Map();
  }
}

function hashOf(item: number): number {
  const mixed = Math.imul(item ^ (item >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

/** Shares of the traffic: the second tenant asks half as often as the first, the third a third as often. */
function zipf(count: number): number[] {
  const ranks = Array.from({ length: count }, (_, rank) => 1 / (rank + 1));
  const total = ranks.reduce((sum, weight) => sum + weight, 0);
  return ranks.map((weight) => weight / total);
}

/** Draws by weight in constant time (Vose's alias method). */
function alias(shares: readonly number[]): () => number {
  const size = shares.length;
  const own = new Float64Array(size);
  const other = new Int32Array(size);
  const scaled = shares.map((share) => share * size);
  const [small, large]: [number[], number[]] = [[], []];
  for (const [index, share] of scaled.entries()) (share < 1 ? small : large).push(index);
  while (small.length > 0 && large.length > 0) {
    const [less, more] = [small.pop() ?? 0, large.pop() ?? 0];
    own[less] = scaled[less] ?? 1;
    other[less] = more;
    scaled[more] = (scaled[more] ?? 0) + (scaled[less] ?? 0) - 1;
    ((scaled[more] ?? 0) < 1 ? small : large).push(more);
  }
  for (const index of [...small, ...large]) own[index] = 1;
  return () => {
    const index = Math.floor(Math.random() * size);
    return Math.random() < (own[index] ?? 1) ? index : (other[index] ?? 0);
  };
}

process.stdout.write(
  '| instances | options | degraded | denied below the limit | write units a decision | $ a million decisions | $ a month |\n',
);
process.stdout.write('|---|---|---|---|---|---|---|\n');
for (const instances of FLEETS) {
  for (const variant of VARIANTS) process.stdout.write(`${row(variant, instances, simulate(variant, instances))}\n`);
}
