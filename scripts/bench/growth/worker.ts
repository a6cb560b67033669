// One process: one dimension, or resident memory. Started with `<dimension>` or `resident`; sends its result and ends.
import { median } from '../statistics.js';
import type { Dimension, Point, Resident, Series } from './protocol.js';
import { createMixed, SUBJECTS, type Subject } from './subjects.js';

const [name = '', roundsText = '7'] = process.argv.slice(2);
const ROUNDS = Number(roundsText);
/** CPU that one size runs in one round, at least one call. */
const SHARE_MS = 15;
const MAX_CALLS = 4096;

const { gc } = globalThis as { gc?: () => void };

/** Microseconds of CPU for each call. */
async function cpuOf(call: () => unknown): Promise<number> {
  gc?.();
  const before = process.cpuUsage();
  let calls = 0;
  let used = 0;
  while (used < SHARE_MS * 1000 && calls < MAX_CALLS) {
    for (const burst = Math.min(64, calls + 1), until = calls + burst; calls < until; calls++) await call();
    const { user, system } = process.cpuUsage(before);
    used = user + system;
  }
  return used / calls;
}

/** Bytes that one call allocates. The process has a young generation in which nothing is collected meanwhile. */
async function bytesOf(call: () => unknown): Promise<number> {
  gc?.();
  const before = process.memoryUsage();
  const result = call();
  await result;
  const after = process.memoryUsage();
  return after.heapUsed + after.external - before.heapUsed - before.external;
}

async function measureSubject({ name, sizes, prepare }: Subject): Promise<readonly Series[]> {
  const lanes = sizes.map((size) => ({ size, call: prepare(size), micros: [] as number[], bytes: [] as number[] }));
  for (const { call } of lanes) for (let round = 0; round < 3; round++) await cpuOf(call);
  for (let round = 0; round < ROUNDS; round++) {
    for (const { call, micros, bytes } of lanes) {
      micros.push(await cpuOf(call));
      bytes.push(await bytesOf(call));
    }
  }
  const points = (values: 'micros' | 'bytes', scale: number): readonly Point[] =>
    lanes.map((lane) => ({ size: lane.size, value: Math.max(median(lane[values]) / scale, 0.001) }));
  return [
    { name, unit: 'µs', points: points('micros', 1) },
    { name, unit: 'KiB', points: points('bytes', 1024) },
  ];
}

async function measureDimension(dimension: Dimension): Promise<readonly Series[]> {
  const series: Series[] = [];
  for (const subject of SUBJECTS[dimension]) series.push(...(await measureSubject(subject)));
  return series;
}

async function measureResident(): Promise<Resident> {
  const call = createMixed();
  const run = async (calls: number): Promise<number> => {
    for (let index = 0; index < calls; index++) await call();
    gc?.();
    return process.memoryUsage.rss();
  };
  const after1000 = await run(1000);
  return { after1000, after100000: await run(99_000) };
}

const result = name === 'resident' ? await measureResident() : await measureDimension(name as Dimension);
process.send?.(result, () => process.exit());
