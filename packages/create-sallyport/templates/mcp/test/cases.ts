import { TOOLS } from './tools.cases.js';

/** The expected responses of the bundle. */
export const CASES = TOOLS;
