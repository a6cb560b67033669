/**
 * Ends of an execution: a time limit, and cancellation by `cancelExecution` of `@sallyport/durable/start`.
 *
 * @packageDocumentation
 */

export { type EndsOptions, ends } from './ends/ends.js';
