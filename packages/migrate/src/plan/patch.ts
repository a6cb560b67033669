import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { MigrationPlan } from './plan.js';

/**
 * What a plan changes, as one unified diff with three lines of context that `git apply` and `patch -p1` take. Empty when nothing changes.
 *
 * @param plan what `planMigration` gave
 */
export function formatPatch(plan: MigrationPlan): string {
  return plan.changes
    .map(({ path, before, after }) => {
      const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
      return createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, options);
    })
    .join('');
}
