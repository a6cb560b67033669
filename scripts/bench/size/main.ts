// `npm run size [-- --why <entry>]`: bundle bytes and first response of functions that use one package each.
import { parseArgs } from 'node:util';
import { bundle } from '../bundle.js';
import { startInTurn } from '../cold/in-turn.js';
import { kilobytes, number } from '../report.js';
import { median } from '../statistics.js';
import { BUDGETS } from './budgets.js';

const ROUNDS = 7;

const { values } = parseArgs({ options: { why: { type: 'string' } } });

/** The source files of one bundle, the heaviest first. */
async function explain(name: string): Promise<void> {
  const { parts } = await bundle(`size/entries/${name}.ts`);
  const sorted = [...parts].sort(([, a], [, b]) => b - a);
  for (const [path, bytes] of sorted) {
    process.stdout.write(`${String(bytes).padStart(7)}  ${path.replace(/^(?:\.\.\/)+/, '')}\n`);
  }
}

async function weigh(): Promise<void> {
  const bundles = await Promise.all(BUDGETS.map(({ name }) => bundle(`size/entries/${name}.ts`)));
  const starters = BUDGETS.map((budget, index) => ({ ...budget, file: bundles[index]?.file ?? '' }));
  const starts = await startInTurn(starters, ROUNDS);
  for (const [index, { name, gzipBytes: budget }] of BUDGETS.entries()) {
    const { bytes = 0, gzipBytes = 0 } = bundles[index] ?? {};
    const { millis = [], wrong = ROUNDS } = starts.get(name) ?? {};
    const first = wrong > 0 ? `answered wrongly ${wrong} times` : `first response ${number(median(millis))} ms`;
    const over = budget !== null && gzipBytes > budget;
    if (over || wrong > 0) process.exitCode = 1;
    const limit = budget === null ? 'no budget' : `${over ? 'OVER' : 'within'} ${kilobytes(budget)}`;
    const columns = [name.padEnd(12), kilobytes(bytes).padStart(9), `${kilobytes(gzipBytes)} gzip`.padStart(13)];
    process.stdout.write(`${columns.join(' ')}   ${limit.padEnd(16)} ${first}\n`);
  }
}

await (values.why === undefined ? weigh() : explain(values.why));
