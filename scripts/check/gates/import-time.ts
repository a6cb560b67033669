import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from '../command.js';
import type { Gate } from '../gate.js';
import { findImportTimeReads } from '../import-time.js';

/**
 * A value that is read at import is the same in all environments that are restored from one snapshot. `scripts/snapshot` tests
 * this with the present code; this gate finds the line.
 */
export const importTimeGate: Gate = {
  name: 'import-time',
  demands: 'no clock is read and nothing random drawn when a package is imported',
  async run() {
    const { stdout } = await run('git', [
      'ls-files',
      '-co',
      '--exclude-standard',
      '-z',
      ':(glob)packages/*/src/**/*.ts',
    ]);
    const files = [...new Set(stdout.split('\0'))].filter((file) => file !== '' && existsSync(join(ROOT, file)));
    if (files.length === 0) return ['found no source files'];
    return files.flatMap((file) => findImportTimeReads(file, readFileSync(join(ROOT, file), 'utf8')));
  },
};
