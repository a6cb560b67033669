// One process: one dimension, or resident memory. Started with `<dimension> <rounds> <unit>`, `resident` or `resident-bare`; sends its result and exits.
import { median } from '../../bench/statistics.js';
import type { Dimension, Memory, Resident, Series } from './protocol.js';
import { createMixed, createMixedBare, SUBJECTS } from './subjects.js';

const [name = '', roundsText = '7', unit] = process.argv.slice(2);
const ROUNDS = Number(roundsText);
/** Bytes are counted in a separate process: its large young generation makes every call touch new memory, which costs time. */
const isCounting = unit === 'KiB';
/** CPU that one size runs in one round; at least some calls, because a collection serves several. */
const SHARE_MS = 20;
const MIN_CALLS = 3;
const MAX_CALLS = 20_000;

const { gc } = globalThis as { gc?: (options?: object) => void };
/**
 * Collects all garbage, including code that has not run lately, and returns free pages to the machine. A usual collection keeps the pages, so
 * the memory of a process depends on its largest amount of garbage. Node 20 runs a usual collection.
 *
 * @see https://github.com/v8/v8/blob/main/src/extensions/gc-extension.cc
 */
const EVERYTHING = { type: 'major', execution: 'sync', flavor: 'last-resort' };

/** Microseconds of CPU for each call. */
async function cpuOf(call: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  let calls = 0;
  let used = 0;
  while (calls < MIN_CALLS || (used < SHARE_MS * 1000 && calls < MAX_CALLS)) {
    for (const burst = Math.min(64, calls + 1), until = calls + burst; calls < until; calls++) await call();
    const { user, system } = process.cpuUsage(before);
    used = user + system;
  }
  return used / calls;
}

/** Bytes that one call allocates. The process has a young generation in which nothing is collected meanwhile. */
async function bytesOf(call: () => unknown): Promise<number> {
  gc?.();
  await call();
  const before = process.memoryUsage();
  const until = performance.now() + SHARE_MS;
  let calls = 0;
  while (calls === 0 || (calls < 64 && performance.now() < until)) {
    await call();
    calls++;
  }
  const after = process.memoryUsage();
  return (after.heapUsed + after.external - before.heapUsed - before.external) / calls;
}

/** All measurements of a dimension in turn, so that a disturbance affects all of them. */
async function measureDimension(dimension: Dimension): Promise<readonly Series[]> {
  const [measureOne, unit, scale] = isCounting ? ([bytesOf, 'KiB', 1024] as const) : ([cpuOf, 'µs', 1] as const);
  const lines = SUBJECTS[dimension].map(({ name, sizes, prepare, isEngine = false }) => ({
    series: { name, unit, isEngine },
    lanes: sizes.map((size) => ({ size, call: prepare(size), values: [] as number[] })),
  }));
  const lanes = lines.flatMap((line) => line.lanes);
  for (const { call } of lanes) for (let round = 0; round < 3; round++) await cpuOf(call);
  for (let round = 0; round < ROUNDS; round++) {
    for (const { call, values } of lanes) values.push(await measureOne(call));
  }
  return lines.map((line) => ({
    ...line.series,
    points: line.lanes.map(({ size, values }) => ({ size, value: Math.max(median(values) / scale, 0.001) })),
  }));
}

async function measureResident(call: () => Promise<void>): Promise<Resident> {
  const run = async (calls: number): Promise<Memory> => {
    for (let index = 0; index < calls; index++) await call();
    const heldBytes = process.memoryUsage.rss();
    for (let times = 0; times < 3; times++) gc?.(EVERYTHING);
    const { rss, heapUsed } = process.memoryUsage();
    return { heldBytes, residentBytes: rss, heapBytes: heapUsed };
  };
  const early = await run(1000);
  return { early, late: await run(99_000) };
}

async function measure(): Promise<Resident | readonly Series[]> {
  if (name === 'resident') return measureResident(createMixed());
  if (name === 'resident-bare') return measureResident(await createMixedBare());
  return measureDimension(name as Dimension);
}

const result = await measure();
process.send?.(result, () => process.exit());
