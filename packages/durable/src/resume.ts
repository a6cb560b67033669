/**
 * Takes over the steps that an earlier execution of the same event has recorded.
 *
 * @packageDocumentation
 */

export type { DurableLedger } from './internal/write-once.js';
export { type ResumeOptions, resume } from './resume/resume.js';
