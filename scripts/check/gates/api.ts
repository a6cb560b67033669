import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RELEASED, readApiChanges } from '../../release/next.js';
import { findMissingBuild } from '../built.js';
import { ROOT } from '../command.js';
import type { Gate } from '../gate.js';

export const apiGate: Gate = {
  name: 'api',
  demands: 'a name that the last release had is there with its declaration, or a changeset states the break',
  after: ['build'],
  async run(note) {
    if (!existsSync(join(ROOT, RELEASED))) return [];
    const missing = findMissingBuild(ROOT, 'api');
    if (missing.length > 0) return missing;
    const { breaks, additions } = readApiChanges(ROOT);
    for (const one of additions) note(one);
    return breaks;
  },
};
