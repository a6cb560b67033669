import { CHAT } from './chat.cases.js';

/** What the bundle has to answer. */
export const CASES = CHAT;
