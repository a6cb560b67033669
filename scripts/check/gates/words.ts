import type { Gate } from '../gate.js';
import { findInFiles } from '../words/files.js';
import { judge } from '../words/words.js';

export const wordsGate: Gate = {
  name: 'words',
  demands: 'plain English in pages, comments and messages: none of the phrases of words/patterns.ts',
  run: async () => judge(await findInFiles()),
};
