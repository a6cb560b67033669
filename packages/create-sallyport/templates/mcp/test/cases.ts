import { TOOLS } from './tools.cases.js';

/** What the bundle has to answer. */
export const CASES = TOOLS;
