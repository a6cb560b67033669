import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from '../command.js';
import type { Gate } from '../gate.js';
import { findUnplainWords } from '../words-rules.js';

/** Past changesets and changelogs are not rewritten. */
const SKIPPED = /^\.changeset\/(?!README)|CHANGELOG\.md$/;

export const wordsGate: Gate = {
  name: 'words',
  demands: 'plain English in pages and comments: none of the phrases of words-rules.ts',
  async run() {
    const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '-z', '*.md', '*.ts', '*.mjs']);
    const files = stdout
      .split('\0')
      .filter((file) => file !== '' && !SKIPPED.test(file) && existsSync(join(ROOT, file)));
    return files.flatMap((file) => findUnplainWords(file, readFileSync(join(ROOT, file), 'utf8')));
  },
};
