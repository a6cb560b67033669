import { CHAT } from './chat.cases.js';

/** The expected responses of the bundle. */
export const CASES = CHAT;
