import { defineOptions, kind, list, oneOf, text } from '@sallyport/core/options';
import type { Mapping } from '../mapping/mapping.js';
import { withBuiltIn } from '../mapping/parse.js';
import { readTree } from '../tree/internal/read.js';
import { runRules } from './internal/run.js';
import { type MigrationPlan, RULES, type Rule } from './plan.js';

/** Options of {@link planMigration}. An unknown key is rejected. */
export interface MigrationOptions {
  /** The directory of the service. */
  readonly root: string;
  /** The result of `parseMapping`. Default: only the built-in mapping. */
  readonly mapping?: Mapping;
  /** The rules to run; without `secure`, routes have no postures. Default all. */
  readonly rules?: readonly Rule[];
}

/** Validators and defaults for {@link MigrationOptions}. */
export const MIGRATION_OPTIONS = defineOptions<MigrationOptions>()({
  root: text('a directory').required(),
  mapping: kind<Mapping>('what parseMapping gave', (value) => typeof value === 'object' && value !== null),
  rules: list(oneOf(...RULES)).default(RULES),
});

/**
 * Computes the changes of a migration. Writes nothing; `applyPlan` writes the changes.
 *
 * @throws FrameworkError `migrate.invalid_root`; `app.invalid_configuration` for an unknown or invalid option
 * @example
 * const plan = planMigration({ root: '.' });
 * console.log(formatPatch(plan));
 */
export function planMigration(options: MigrationOptions): MigrationPlan {
  const { root, mapping, rules } = MIGRATION_OPTIONS.parse(options);
  return runRules(readTree(root), withBuiltIn(mapping), rules);
}
