import { findingsOf, tool } from '../command.js';
import type { Gate } from '../gate.js';

export const buildGate: Gate = {
  name: 'build',
  demands: 'the packages compile (tsc -b)',
  run: async () => findingsOf(await tool('tsc', '-b', '--pretty', 'false')),
};

/** Tests, type tests, scripts and examples against the sources of the packages. */
export const typesGate: Gate = {
  name: 'types',
  demands: 'tests, scripts and examples compile (tsconfig.check.json)',
  run: async () => findingsOf(await tool('tsc', '-p', 'tsconfig.check.json', '--pretty', 'false')),
};
