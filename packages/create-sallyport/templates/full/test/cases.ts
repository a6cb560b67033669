import { BOOKS } from './books.cases.js';
import { CHAT } from './chat.cases.js';
import { NOTES } from './notes.cases.js';
import { ORDERS } from './orders.cases.js';
import { TOOLS } from './tools.cases.js';

/** What the bundle has to answer. */
export const CASES = [...NOTES, ...ORDERS, ...BOOKS, ...CHAT, ...TOOLS];
