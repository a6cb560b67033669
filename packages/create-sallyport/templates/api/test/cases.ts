import { NOTES } from './notes.cases.js';

/** The expected responses of the bundle. */
export const CASES = NOTES;
