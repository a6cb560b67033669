import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeAnatomy, readSources } from '../anatomy.js';
import { ROOT, run } from '../command.js';
import { functionLengths, percentile } from '../function-lengths.js';
import type { Gate } from '../gate.js';
import { FUNCTION_LENGTHS, judgeFileLines, judgeRange } from '../house-budgets.js';

export const anatomyGate: Gate = {
  name: 'anatomy',
  demands:
    'entries are barrels, what no entry exports is internal, no circles of imports, files are topics, functions are neither scraps nor endless',
  async run(note) {
    const { stdout } = await run('git', [
      'ls-files',
      '-co',
      '--exclude-standard',
      '--',
      ':(glob)packages/*/src/**/*.ts',
    ]);
    const tracked = stdout.split('\n').filter((file) => file !== '' && existsSync(join(ROOT, file)));
    note(`source files of all packages: ${tracked.length}`);
    return [
      ...judgeFileLines(
        new Map(tracked.map((file) => [file, readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1])),
      ),
      ...judgeLengths(tracked, note),
      ...readSources(ROOT, tracked).flatMap((source) =>
        judgeAnatomy(source).map((finding) => `${source.name}: ${finding}`),
      ),
    ];
  },
};

/** Compares the percentiles of all functions with their ranges. */
function judgeLengths(files: readonly string[], note: (figure: string) => void): readonly string[] {
  const functions = files.flatMap((file) => functionLengths(file, readFileSync(join(ROOT, file), 'utf8')));
  const lengths = functions.map(({ lines }) => lines);
  const named = functions.filter(({ isNamed }) => isNamed).map(({ lines }) => lines);
  const measured = { p50: percentile(lengths, 0.5), p90: percentile(lengths, 0.9), p99: percentile(lengths, 0.99) };
  const { p50, p90, p99 } = measured;
  note(`lines of ${lengths.length} functions: p50 ${p50}, p90 ${p90} (wanted 20 to 30), p99 ${p99}`);
  note(`lines of the ${named.length} that have a name: p50 ${percentile(named, 0.5)}, p90 ${percentile(named, 0.9)}`);
  return (['p50', 'p90', 'p99'] as const).flatMap((share) =>
    judgeRange(`${share} of the lines of a function`, measured[share], FUNCTION_LENGTHS[share]),
  );
}
