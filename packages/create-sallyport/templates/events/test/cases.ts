import { ORDERS } from './orders.cases.js';

/** The expected responses of the bundle. */
export const CASES = ORDERS;
