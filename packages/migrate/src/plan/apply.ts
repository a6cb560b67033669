import { migrateError, reasonOf } from '../errors.js';
import { checkTarget, writeAtomically } from './internal/files.js';
import type { FileChange, MigrationPlan } from './plan.js';

/**
 * Writes what a plan changes: first every file is checked, then each is replaced by renaming. A file that is read-only, has changed since
 * it was read, or has become something else stops everything before the first write; a failure later puts back what was written.
 *
 * @param plan what `planMigration` gave
 * @throws FrameworkError `migrate.write_failed`
 */
export function applyPlan(plan: MigrationPlan): void {
  const byPath = new Map(plan.changes.map((change) => [change.path, change]));
  const changes = plan.order.flatMap((path) => byPath.get(path) ?? []);
  const faults = changes.flatMap(({ path, before }) => checkTarget(plan.root, path, before) ?? []);
  if (faults.length > 0) throw migrateError('migrate.write_failed', `nothing was written: ${faults.join('; ')}`);
  const done: FileChange[] = [];
  for (const change of changes) {
    try {
      writeAtomically(plan.root, change.path, change.after);
      done.push(change);
    } catch (error) {
      throw undo(plan.root, done, change, error);
    }
  }
}

/** Puts back the files that were replaced, and says which could not be. */
function undo(root: string, done: readonly FileChange[], failed: FileChange, cause: unknown): Error {
  const stuck = done.flatMap(({ path, before }) => {
    try {
      writeAtomically(root, path, before);
      return [];
    } catch (error) {
      return [`${path} could not be put back: ${reasonOf(error)}`];
    }
  });
  const rest = stuck.length === 0 ? ['every other file is as it was'] : stuck;
  const text = [`${failed.path} could not be written: ${reasonOf(cause)}`, ...rest].join('; ');
  return migrateError('migrate.write_failed', text, cause);
}
