import { findingsOf, tool } from '../command.js';
import type { Gate } from '../gate.js';

export const unusedGate: Gate = {
  name: 'unused',
  demands: 'no unused file, export or dependency, none undeclared (knip)',
  run: async () =>
    findingsOf(
      await tool(
        'knip',
        '--no-progress',
        '--no-config-hints',
        '--cache',
        '--cache-location',
        'node_modules/.cache/knip',
      ),
    ),
};
