/**
 * Results of steps above 256 KiB, in an object store.
 *
 * @packageDocumentation
 */

export { type LargeResultsOptions, largeResults, type ResultStore } from './large-results/large-results.js';
