import type { Gate } from '../gate.js';
import { findInFiles, findLines } from '../words/files.js';
import { judge } from '../words/words.js';

export const wordsGate: Gate = {
  name: 'words',
  demands: 'plain English: none of the phrases of words/patterns.ts, and one sentence on each line of a page',
  run: async () => [...judge(await findInFiles()), ...(await findLines())],
};
