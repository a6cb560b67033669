// The commands of this package, which the command line loads.

export { COMPARE_COMMAND } from './compare/command.js';
export { CONTRACT_COMMAND } from './contract/command.js';
export { TYPES_COMMAND } from './contract/types-command.js';
export { DOCTOR_COMMAND } from './doctor/command.js';
export { HISTORY_COMMAND } from './history/command.js';
export { REDRIVE_COMMAND } from './redrive/command.js';
export { RUNBOOK_COMMAND } from './runbook/command.js';
