import { build } from '../../build.mjs';
import { findingsOf, run, tool } from '../command.js';
import type { Gate } from '../gate.js';

export const buildGate: Gate = {
  name: 'build',
  demands: 'the packages are built (npm run build)',
  async run() {
    for (const [command, args] of build) {
      const findings = findingsOf(await run(command, args));
      if (findings.length > 0) return findings;
    }
    return [];
  },
};

/** Tests, type tests, scripts and examples against the sources of the packages. */
export const typesGate: Gate = {
  name: 'types',
  demands: 'tests, scripts and examples compile (tsconfig.check.json)',
  run: async () => findingsOf(await tool('tsc', '-p', 'tsconfig.check.json', '--pretty', 'false')),
};
