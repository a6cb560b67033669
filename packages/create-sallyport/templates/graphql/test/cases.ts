import { BOOKS } from './books.cases.js';

/** What the bundle has to answer. */
export const CASES = BOOKS;
