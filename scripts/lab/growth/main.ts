// `npm run bench:growth`: CPU and memory against sizes. Fails if something grows faster than it may.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { machine, writeSections } from '../../bench/readme.js';
import { findExcesses } from './limits.js';
import { growthTable, measureGrowth, writePlots } from './measure.js';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '11' }, 'write-readme': { type: 'boolean', default: false } },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a whole number above 0');

const growth = await measureGrowth(rounds);
process.stdout.write(`${growthTable(growth)}\n`);
if (values['write-readme']) {
  const sections = { growth: [machine(rounds), growthTable(growth), writePlots(growth)].join('\n\n') };
  writeSections(join(import.meta.dirname, '..', 'README.md'), 'npm run bench:growth', sections);
}
const excesses = findExcesses(growth);
for (const excess of excesses) process.stderr.write(`grows faster than it may: ${excess}\n`);
if (excesses.length > 0) process.exitCode = 1;
