import { findUnstatedBreaks } from '../../release/next.js';
import { ROOT } from '../command.js';
import type { Gate } from '../gate.js';

export const apiGate: Gate = {
  name: 'api',
  demands: 'a name that the last release had is there, or a changeset states the break',
  run: async () => findUnstatedBreaks(ROOT),
};
