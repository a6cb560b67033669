/**
 * Continues the work of an execution in a new one, before its operations run out.
 *
 * @packageDocumentation
 */

export { continueAs } from './continue-as/continue-as.js';
