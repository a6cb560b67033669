import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { MigrationPlan } from './plan.js';

/**
 * Formats the changes of a plan as one unified diff with three lines of context, for `git apply` and `patch -p1`. Empty without changes.
 *
 * @param plan the result of `planMigration`
 */
export function formatPatch(plan: MigrationPlan): string {
  return plan.changes
    .map(({ path, before, after }) => {
      const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
      return createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, options);
    })
    .join('');
}
