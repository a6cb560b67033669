export type { MigrateErrorCode } from './errors.js';
export { type Mapping, type ModuleMapping, type NameMapping, parseMapping } from './mapping/mapping.js';
export { applyPlan } from './plan/apply.js';
export { formatPatch } from './plan/patch.js';
export {
  type FileChange,
  type ManualStep,
  type MigrationOptions,
  type MigrationPlan,
  type Place,
  planMigration,
  type Rule,
} from './plan/plan.js';
