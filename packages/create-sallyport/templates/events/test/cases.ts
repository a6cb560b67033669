import { ORDERS } from './orders.cases.js';

/** What the bundle has to answer. */
export const CASES = ORDERS;
