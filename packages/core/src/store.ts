/** What packages share that keep their state in a store outside the process. */
export { type DeadlineOptions, type StoreCall, withDeadline } from './deadline.js';
export { isTransient, StoreTimeout } from './store-errors.js';
