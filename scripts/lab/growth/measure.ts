import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../../bench/bundle.js';
import { headOf, number } from '../../bench/report.js';
import { median } from '../../bench/statistics.js';
import { exponentOf } from './fit.js';
import { mebibytes } from './limits.js';
import { plot } from './plot.js';
import { DIMENSIONS, type Dimension, type Growth, type Memory, type Resident, type Series } from './protocol.js';

/** Title of the plot, and what its horizontal axis counts. */
const TITLES: Readonly<Record<Dimension, readonly [title: string, axis: string]>> = {
  registering: ['Registering', 'routes of the application'],
  matching: ['Matching', 'routes of the application'],
  records: ['Records', 'records of a batch'],
  concurrent: ['Concurrency', 'invocations at the same time'],
  headers: ['Headers', 'headers of a request, all read'],
  json: ['JSON', 'bytes of a JSON body'],
};

/** A young generation in which nothing is collected while bytes are counted. */
const ROOMY = ['--expose-gc', '--min-semi-space-size=512', '--max-semi-space-size=512'];
/** All sizes of a dimension are prepared before the first is measured. */
const MEMORY = ['--max-old-space-size=3000'];

/** Fresh processes for resident memory: compilers and collectors run at random times, so processes differ. */
const PROCESSES = 5;

/** CPU and memory against sizes, and resident memory after many invocations. */
export async function measureGrowth(rounds: number): Promise<Growth> {
  const worker = await bundle('../lab/growth/worker.ts');
  const dimensions = [];
  for (const dimension of DIMENSIONS) {
    const measure = (unit: Series['unit'], flags: readonly string[]) =>
      ask<readonly Series[]>(worker.file, [dimension, String(rounds), unit], flags);
    const micros = await measure('µs', ['--expose-gc', ...MEMORY]);
    const bytes = await measure('KiB', [...ROOMY, ...MEMORY]);
    dimensions.push({ dimension, series: [...micros, ...bytes] });
  }
  const [ours, bare]: [Resident[], Resident[]] = [[], []];
  for (let process = 0; process < PROCESSES; process++) {
    ours.push(await ask<Resident>(worker.file, ['resident'], ['--expose-gc']));
    bare.push(await ask<Resident>(worker.file, ['resident-bare'], ['--expose-gc']));
  }
  return { dimensions, resident: middleOf(ours), bare: middleOf(bare) };
}

/** The median of each figure. */
function middleOf(processes: readonly Resident[]): Resident {
  const memoryAt = (time: keyof Resident): Memory => {
    const of = (figure: keyof Memory) => median(processes.map((process) => process[time][figure]));
    return { heldBytes: of('heldBytes'), residentBytes: of('residentBytes'), heapBytes: of('heapBytes') };
  };
  return { early: memoryAt('early'), late: memoryAt('late') };
}

function ask<T>(file: string, args: readonly string[], flags: readonly string[]): Promise<T> {
  return new Promise((resolve, reject) => {
    const child = fork(file, args, {
      execArgv: [...flags],
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.once('message', (result) => resolve(result as T));
    child.once('exit', (code) => reject(new Error(`the process for ${args[0]} ended with status ${code}`)));
  });
}

/** Exponents and both ends of each line, as a Markdown table. */
export function growthTable({ dimensions, resident, bare }: Growth): string {
  const rows = dimensions.flatMap(({ dimension, series }) =>
    series.map(({ name, unit, points }) => {
      const [first, last] = [points[0], points.at(-1)];
      const range = `${first?.size} … ${last?.size}`;
      const values = `${number(first?.value ?? 0)} … ${number(last?.value ?? 0)} ${unit}`;
      return `| ${[TITLES[dimension][0], name, range, values, exponentOf(points).toFixed(2)].join(' | ')} |`;
    }),
  );
  return [
    headOf(['', 'line', 'sizes', 'from … to', 'exponent']),
    ...rows,
    '',
    headOf(['mixed invocations', '1,000: live heap', '100,000', '1,000: resident', '100,000', '100,000: uncollected']),
    residentLine('ours', resident),
    residentLine('bare', bare),
  ].join('\n');
}

function residentLine(name: string, { early, late }: Resident): string {
  const values = [early.heapBytes, late.heapBytes, early.residentBytes, late.residentBytes, late.heldBytes];
  return `| ${[name, ...values.map(mebibytes)].join(' | ')} |`;
}

/** Writes one picture for each dimension, and returns its lines for the README. */
export function writePlots({ dimensions }: Growth): string {
  const directory = join(import.meta.dirname, 'plots');
  mkdirSync(directory, { recursive: true });
  const images = dimensions.map(({ dimension, series }) => {
    const [title, axis] = TITLES[dimension];
    writeFileSync(join(directory, `${dimension}.svg`), plot(title, axis, series));
    return `![${title}: CPU and allocation against ${axis}](growth/plots/${dimension}.svg)`;
  });
  return images.join('\n\n');
}
