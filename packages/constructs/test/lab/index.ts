/** The judges of the stacks of templates, for `create-sallyport`. Run in separate processes, without jest. */
export { startEngine } from '../judges/support/engine.js';
export { findWrongStatements } from '../judges/support/iam.js';
export { findingsIn } from '../judges/support/nag-report.js';
export { findFaults } from '../judges/support/own-checks.js';
export type { Template } from '../support/template.js';
export { applicationIn, withEdit, writeEdited } from './updates/edited-service.js';
export { additionsTo, editsOf } from './updates/edits.js';
export { judgeEdits, type Verdicts } from './updates/verdicts.js';
