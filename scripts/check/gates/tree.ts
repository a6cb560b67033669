import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ROOT, run } from '../command.js';
import type { Gate } from '../gate.js';
import { findForeignTexts } from '../tree-rules.js';

export const treeGate: Gate = {
  name: 'tree',
  demands: 'no machine path, registry address or secret in a file of the repository',
  async run() {
    const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '-z']);
    const files = stdout.split('\0').filter((file) => file !== '' && existsSync(join(ROOT, file)));
    return files.flatMap((file) => {
      const bytes = readFileSync(join(ROOT, file));
      return bytes.includes(0) ? [] : findForeignTexts(file, bytes.toString('utf8'), [ROOT, homedir()]);
    });
  },
};
