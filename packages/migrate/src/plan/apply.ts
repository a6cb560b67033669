import { migrateError, reasonOf } from '../errors.js';
import { checkTarget, writeAtomically } from './internal/files.js';
import type { FileChange, MigrationPlan } from './plan.js';

/**
 * Writes the changes of a plan. All files are checked first, then each is replaced by renaming. If a file is read-only, has changed since
 * it was read, or is no longer a regular file, no file is written. If a later step fails, the written files are restored.
 *
 * @param plan the result of `planMigration`
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

/** Restores the replaced files, and returns the error with the files that could not be restored. */
function undo(root: string, done: readonly FileChange[], failed: FileChange, cause: unknown): Error {
  const stuck = done.flatMap(({ path, before }) => {
    try {
      writeAtomically(root, path, before);
      return [];
    } catch (error) {
      return [`${path} could not be restored: ${reasonOf(error)}`];
    }
  });
  const rest = stuck.length === 0 ? ['every other file is unchanged'] : stuck;
  const text = [`${failed.path} could not be written: ${reasonOf(cause)}`, ...rest].join('; ');
  return migrateError('migrate.write_failed', text, cause);
}
