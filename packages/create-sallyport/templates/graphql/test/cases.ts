import { BOOKS } from './books.cases.js';

/** The expected responses of the bundle. */
export const CASES = BOOKS;
