import { findingsOf, tool } from '../command.js';
import type { Gate } from '../gate.js';

export const lintGate: Gate = {
  name: 'lint',
  demands: 'format and lint are clean, warnings included (biome)',
  run: async () =>
    findingsOf(await tool('biome', 'ci', '--error-on-warnings', '--diagnostic-level=warn', '--colors=off', '.')),
};
