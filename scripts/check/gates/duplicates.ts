import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from '../command.js';
import { findShared, judgeShared } from '../duplicates.js';
import { EXPLAINED } from '../duplicates-policy.js';
import type { Gate } from '../gate.js';

const READ = ['packages', 'scripts', 'tools', 'examples'].flatMap((folder) => [`${folder}/*.ts`, `${folder}/*.mjs`]);

export const duplicatesGate: Gate = {
  name: 'duplicates',
  demands: 'what two files share is written once, or explained in duplicates-policy.ts',
  async run(note) {
    const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '--', ...READ]);
    const files = stdout.split('\n').filter((file) => file !== '' && existsSync(join(ROOT, file)));
    const pairs = findShared(new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')])));
    const longest = Math.max(0, ...pairs.flatMap(({ runs }) => runs.map(({ lines }) => lines)));
    note(
      `${pairs.length} pairs of ${files.length} files share runs of six lines, the longest ${longest}; explained: ${EXPLAINED.length}`,
    );
    return judgeShared(pairs, EXPLAINED);
  },
};
