import { BOOKS } from './books.cases.js';
import { CHAT } from './chat.cases.js';
import { NOTES } from './notes.cases.js';
import { ORDERS } from './orders.cases.js';
import { TOOLS } from './tools.cases.js';

/** The expected responses of the bundle. */
export const CASES = [...NOTES, ...ORDERS, ...BOOKS, ...CHAT, ...TOOLS];
