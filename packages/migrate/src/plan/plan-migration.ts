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
  /** What `parseMapping` gave. Default: only what is built in. */
  readonly mapping?: Mapping;
  /** The rules to run; without `secure` the container stays open. Default all. */
  readonly rules?: readonly Rule[];
}

/** Validators and defaults for {@link MigrationOptions}. */
export const MIGRATION_OPTIONS = defineOptions<MigrationOptions>()({
  root: text('a directory').required(),
  mapping: kind<Mapping>('what parseMapping gave', (value) => typeof value === 'object' && value !== null),
  rules: list(oneOf(...RULES)).default(RULES),
});

/**
 * Finds out what a migration would change. Nothing is written; `applyPlan` does that.
 *
 * @throws FrameworkError `migrate.invalid_root`; `app.invalid_configuration` for an unknown or unfit option
 * @example
 * const plan = planMigration({ root: '.' });
 * console.log(formatPatch(plan));
 */
export function planMigration(options: MigrationOptions): MigrationPlan {
  const { root, mapping, rules } = MIGRATION_OPTIONS.parse(options);
  return runRules(readTree(root), withBuiltIn(mapping), rules);
}
