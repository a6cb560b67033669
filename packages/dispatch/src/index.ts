export {
  createDispatcher,
  createDispatcherWith,
  type DirectInvocations,
  type Dispatcher,
  type DispatcherOptions,
} from './dispatcher.js';
export type { DispatchErrorCode } from './errors.js';
export { detect, type Explanation, explain, type RowExplanation } from './explain/explain.js';
export type { Miss, Nearest } from './explain/row-check.js';
export {
  DETECTION_TABLE,
  type DetectionCondition,
  type DetectionRow,
  type DetectionTest,
  type TriggerExtension,
} from './rows.js';
