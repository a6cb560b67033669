import { NOTES } from './notes.cases.js';

/** What the bundle has to answer. */
export const CASES = NOTES;
