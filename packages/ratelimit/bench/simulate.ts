/**
 * The limiter of this package at a size that no test reaches: 1,000,000 tenants and 100,000 decisions a second, scaled down.
 * `node --conditions=@sallyport/source --import tsx packages/ratelimit/bench/simulate.ts [rows [scale]]`, for example `6,8 20`
 *
 * All numbers that grow with the traffic are divided by `SCALE`: tenants, decisions, instances, partitions and their throughput, the
 * table's quota, and `shardAbove`. So an instance serves as many requests of a tenant as without the scale. Tenants are drawn by
 * Zipf's law with the exponent 1, instances at random; arrivals are a Poisson process on a virtual clock. Each tenant has a
 * sliding window of a minute of which it uses the stated part on average. A first 72 s fill the windows and are not counted.
 *
 * The table is `ModelTable`, which evaluates the limiter's requests, with the throughput of `Partitions`: 1,000 write units a second
 * for each partition. With isolation, the busiest item of a throttled partition gets its own partition after ten seconds; AWS
 * describes that, but not the time after which it happens. Burst capacity and retries of the SDK are omitted.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/burst-adaptive-capacity.html
 */
import { createDynamoRateLimiter, createMemoryRateLimiter, slidingWindow } from '@sallyport/ratelimit';
import { ModelTable } from '../test/support/model-table.js';
import { alias, seeded, zipf } from './draw.js';
import { monthly, PRICES } from './prices.js';

const SCALE = Number(process.argv[3] ?? 50);
const TENANTS = 1_000_000 / SCALE;
const PER_SECOND = 100_000 / SCALE;
const PARTITIONS = 120;
const PER_PARTITION = 1000 / SCALE;
const ISOLATION_SECONDS = 10;
const WARM_SECONDS = 72;
const SECONDS = 36;
const START_MS = 1_699_999_200_000;
/** Above this rate the tables of AWS throttle: raised, the default quota, and a new table on demand. */
const QUOTAS = {
  raised: Number.POSITIVE_INFINITY,
  'the default, 40,000': 40_000 / SCALE,
  'a new table, 4,000': 4000 / SCALE,
};

interface Options {
  readonly reserve?: number;
  readonly shardAbove?: number;
}

interface Row {
  readonly use: number;
  readonly options: Options;
  /** Instances before the scale: each of 2,000 serves 50 requests a second; each of 100, as processes with concurrent requests, serves 1,000. */
  readonly instances?: number;
  readonly isolates?: boolean;
  readonly quota?: keyof typeof QUOTAS;
}

const ALL: readonly Options[] = [
  {},
  { shardAbove: 500 },
  { reserve: 10 },
  { reserve: 10, shardAbove: 500 },
  { reserve: 100, shardAbove: 500 },
];
const BOTH: Options = { reserve: 10, shardAbove: 500 };
const ROWS: readonly Row[] = [
  ...[0.5, 0.8, 0.95].flatMap((use) => ALL.map((options) => ({ use, options }))),
  ...ALL.map((options) => ({ use: 0.8, options, isolates: false })),
  ...ALL.map((options) => ({ use: 0.8, options, instances: 100 })),
  ...(['the default, 40,000', 'a new table, 4,000'] as const).map((quota) => ({ use: 0.8, options: BOTH, quota })),
];

const weights = zipf(TENANTS);

/** The throughput of a table: throws DynamoDB's error for a write that exceeds it. */
class Partitions {
  readonly #isolates: boolean;
  readonly #quota: number;
  readonly #isolated = new Map<string, number>();
  #count = PARTITIONS;
  #written = new Map<number, number>();
  #total = 0;
  #throttled = new Map<string, number>();

  constructor(isolates: boolean, quota: number) {
    this.#isolates = isolates;
    this.#quota = quota;
  }

  tick(second: number): void {
    if (this.#isolates && second % ISOLATION_SECONDS === 0) this.#isolate();
    this.#written = new Map();
    this.#total = 0;
  }

  take(item: string): void {
    const partition = this.#of(item);
    const written = this.#written.get(partition) ?? 0;
    if (written >= PER_PARTITION || this.#total >= this.#quota) {
      this.#throttled.set(item, (this.#throttled.get(item) ?? 0) + 1);
      const $metadata = { httpStatusCode: 400 };
      throw Object.assign(new Error('throttled'), { name: 'ProvisionedThroughputExceededException', $metadata });
    }
    this.#written.set(partition, written + 1);
    this.#total += 1;
  }

  /** An isolated item has its own partition; no item has several partitions. */
  #of(item: string): number {
    return this.#isolated.get(item) ?? hashOf(item) % PARTITIONS;
  }

  #isolate(): void {
    const busiest = new Map<number, string>();
    for (const [item, count] of this.#throttled) {
      const best = busiest.get(this.#of(item));
      if (best === undefined || count > (this.#throttled.get(best) ?? 0)) busiest.set(this.#of(item), item);
    }
    for (const item of busiest.values()) {
      if (this.#isolated.has(item)) continue;
      this.#isolated.set(item, this.#count);
      this.#count += 1;
    }
    this.#throttled = new Map();
  }
}

async function simulate({ use, options, instances = 2000, isolates = true, quota = 'raised' }: Row) {
  const random = seeded(7);
  const drawTenant = alias(weights, random);
  const limits = weights.map((weight) => Math.max(10, Math.ceil((60 * PER_SECOND * weight) / use)));
  const partitions = new Partitions(isolates, QUOTAS[quota]);
  const table = new ModelTable();
  table.gate = ({ pk, isWrite }) => {
    if (isWrite) partitions.take(pk);
  };
  let ms = START_MS;
  const clock = { now: () => new Date(ms), monotonicMs: () => ms };
  const strategy = slidingWindow({ limit: 1_000_000_000, windowMs: 60_000 });
  const limitFor = ({ identifier }: { identifier: string }) => limits[Number(identifier)] ?? 0;
  const { reserve = 0, shardAbove } = options;
  const settings = { strategy, clock, limitFor, reserve, tableName: 't', onStoreError: 'deny', log: false } as const;
  const fleet = Array.from({ length: instances / SCALE }, () =>
    createDynamoRateLimiter({
      ...settings,
      client: table.client,
      ...(shardAbove !== undefined && { shardAbove: shardAbove / SCALE }),
    }),
  );
  const exact = createMemoryRateLimiter({ strategy, clock, limitFor, maxKeys: TENANTS });
  let [second, decisions, degraded, denied, above, writes, reads] = [0, 0, 0, 0, 0, 0, 0];
  while (second < WARM_SECONDS + SECONDS) {
    ms += (-Math.log(1 - random()) * 1000) / PER_SECOND;
    if (Math.floor((ms - START_MS) / 1000) > second) {
      second = Math.floor((ms - START_MS) / 1000);
      partitions.tick(second);
      if (second <= WARM_SECONDS)
        [decisions, degraded, denied, above, writes, reads] = [0, 0, 0, 0, table.writes, table.reads];
    }
    const key = { identifier: String(drawTenant()), resource: '/', operation: 'GET' };
    const decision = await fleet[Math.floor(random() * fleet.length)]?.consume(key);
    decisions += 1;
    if (decision?.degraded) {
      degraded += 1;
      continue;
    }
    if (!decision?.allowed) denied += 1;
    if (!(await exact.consume(key)).allowed) above += 1;
  }
  return { decisions, degraded, denied, above, writes: table.writes - writes, reads: table.reads - reads };
}

function hashOf(item: string): number {
  let hash = 0;
  for (const character of item) hash = Math.imul(hash ^ character.charCodeAt(0), 0x45d9f3b) >>> 0;
  return hash ^ (hash >>> 13);
}

function nameOf({ reserve, shardAbove }: Options): string {
  const parts = [reserve && `\`reserve: ${reserve}\``, shardAbove && `\`shardAbove: ${shardAbove}\``].filter(Boolean);
  return parts.length === 0 ? 'one item for each key' : parts.join(', ');
}

const HEAD = [
  'use',
  'options',
  'table',
  'degraded',
  'denied',
  'of these below the limit',
  'write units a decision',
  ...PRICES,
];
process.stdout.write(`| ${HEAD.join(' | ')} |\n|${'---|'.repeat(HEAD.length)}\n`);
const wanted = process.argv[2]?.split(',').map(Number) ?? [...ROWS.keys()];
for (const row of ROWS.filter((_, place) => wanted.includes(place))) {
  const { decisions, degraded, denied, above, writes, reads } = await simulate(row);
  const share = (count: number) => `${((100 * count) / decisions).toFixed(2)} %`;
  const { instances = 2000, isolates = true, quota = 'raised' } = row;
  const kind = [
    instances === 2000 ? '' : `${instances} instances`,
    isolates ? '' : 'not isolated',
    quota === 'raised' ? '' : quota,
  ].filter((part) => part !== '');
  const scale = 100_000 / decisions;
  const cells = [
    `${100 * row.use} %`,
    nameOf(row.options),
    kind.join(', ') || 'isolates',
    share(degraded),
    share(denied),
    share(Math.max(0, denied - above)),
    (writes / decisions).toFixed(3),
    ...monthly(writes * scale, reads * scale).map((dollars) =>
      (Math.round(dollars / 1000) * 1000).toLocaleString('en-US'),
    ),
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
