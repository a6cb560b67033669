import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from '../command.js';
import { findShared, judgeShared } from '../duplicates.js';
import { EXPLAINED, REPEATED } from '../duplicates-policy.js';
import type { Gate } from '../gate.js';
import { findDeclarations, judgeHelpers } from '../helpers.js';

const READ = ['packages', 'scripts', 'tools', 'examples'].flatMap((folder) => [`${folder}/*.ts`, `${folder}/*.mjs`]);

const SOURCE = /^packages\/[^/]+\/src\/.*\.ts$/;

export const duplicatesGate: Gate = {
  name: 'duplicates',
  demands:
    'what two files share is written once, a helper of three packages is in the base, or duplicates-policy.ts explains it',
  async run(note) {
    const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '--', ...READ]);
    const files = stdout.split('\n').filter((file) => file !== '' && existsSync(join(ROOT, file)));
    const texts = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
    const pairs = findShared(texts);
    const sources = [...texts].filter(([file]) => SOURCE.test(file));
    const declarations = sources.flatMap(([file, text]) => findDeclarations(file, text));
    const longest = Math.max(0, ...pairs.flatMap(({ runs }) => runs.map(({ lines }) => lines)));
    note(
      `${pairs.length} pairs of ${files.length} files share runs of six lines, the longest ${longest}; explained: ${EXPLAINED.length}`,
    );
    return [...judgeShared(pairs, EXPLAINED), ...judgeHelpers(declarations, REPEATED)];
  },
};
