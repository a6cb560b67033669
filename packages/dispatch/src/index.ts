// Detection
export { detect } from './detect.js';
export {
  createDispatcher,
  createDispatcherWith,
  type DirectInvocations,
  type Dispatcher,
  type DispatcherOptions,
} from './dispatcher.js';
export type { DispatchErrorCode } from './errors.js';
export { type Explanation, explain, type Miss, type Nearest, type RowExplanation } from './explain/explain.js';
export type { TriggerExtension } from './extension.js';
export { DETECTION_TABLE, type DetectionCondition, type DetectionRow, type DetectionTest } from './rows.js';
