import { ROOT } from '../command.js';
import type { Gate } from '../gate.js';
import { readGraph } from '../graph-reader.js';
import { judgeGraph } from '../graph-rules.js';

export const graphGate: Gate = {
  name: 'graph',
  demands: 'packages depend on each other as the architecture says (graph-policy.ts)',
  run: async () => judgeGraph(await readGraph(ROOT, ['packages', 'examples', 'tools', 'scripts/bench'])),
};
