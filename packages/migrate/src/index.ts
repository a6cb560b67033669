export type { MigrateErrorCode } from './errors.js';
export type { Mapping, ModuleMapping, NameMapping } from './mapping/mapping.js';
export { parseMapping } from './mapping/parse.js';
export { applyPlan } from './plan/apply.js';
export { formatPatch } from './plan/patch.js';
export type { FileChange, ManualStep, MigratedHandler, MigrationPlan, Place, Rule } from './plan/plan.js';
export { type MigrationOptions, planMigration } from './plan/plan-migration.js';
