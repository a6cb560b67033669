import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFrameworkError } from '@sallyport/core';
import { migrateError, reasonOf } from '../errors.js';
import { RELEASE_SET } from '../mapping/internal/release-set.js';
import { type ReleaseSet, UPGRADES, type Upgrade, upgradeMapping } from '../mapping/internal/upgrades.js';
import type { Mapping } from '../mapping/mapping.js';
import { parseMapping } from '../mapping/parse.js';
import { applyPlan } from '../plan/apply.js';
import { formatPatch } from '../plan/patch.js';
import type { MigratedHandler, MigrationPlan } from '../plan/plan.js';
import { planMigration } from '../plan/plan-migration.js';
import { hasUncommitted } from '../tree/internal/read.js';
import { type Command, parseCommand } from './arguments.js';

/** The output streams of the command. */
export interface Streams {
  readonly out: (text: string) => unknown;
  readonly err: (text: string) => unknown;
}

/** Exit codes: nothing left to do, a dry run that would change files, a failure, and work that is left for the user. */
const MIGRATE_EXIT = { done: 0, wouldChange: 1, failed: 2, left: 3 } as const;

const HELP = `usage: sallyport-migrate [-root <path>] [-apply [-force]] [-json] [-map <file>] [-rules <list>]
       sallyport-migrate -from <release> -to <release> [-root <path>] [-apply [-force]] [-json]

Moves a service to Sallyport: applications of Express, Hono, Middy and Powertools, or the names of a mapping file.
Without -apply it writes nothing and prints a diff.
What it cannot rewrite gets a line "TODO(sallyport)" and is counted. Routes get choosePosture, which you replace.

  -root <path>    directory of the service (default .)
  -apply          rewrite the files
  -dry-run        write nothing (the default)
  -force          with -apply: rewrite files although the working tree has changes that are not committed
  -json           print the result as JSON instead of a diff
  -map <file>     mapping of the old framework's names (default <root>/sallyport-migrate.json, if it exists)
  -from <release> -to <release>
                  move a service from one release of Sallyport to another, such as -from 0.1 -to 0.2: renames, and ranges of package.json
  -rules <list>   some of frameworks,imports,strict,secure,package (default all); without secure, routes have no postures
  -help           this text
  -version        the version

exit code: 0 nothing is left to do; 1 a dry run would change files; 2 failed, or the working tree has changes;
3 nothing (more) to write, and manual steps or mounted applications are left
`;

/** The releases of Sallyport, and their renames. */
export interface KnownReleases {
  readonly upgrades: readonly Upgrade[];
  readonly set: ReleaseSet;
}

const KNOWN: KnownReleases = { upgrades: UPGRADES, set: RELEASE_SET };

/** Runs the command and returns its exit code. */
export function runCommand(args: readonly string[], streams: Streams, known: KnownReleases = KNOWN): number {
  const command = parseCommand(args);
  if (command.kind === 'migrate') return guarded(command, streams, known);
  if (command.kind === 'usage') {
    streams.err(`sallyport-migrate: ${command.problem}\n${HELP}`);
    return MIGRATE_EXIT.failed;
  }
  streams.out(command.kind === 'help' ? HELP : `${readVersion()}\n`);
  return MIGRATE_EXIT.done;
}

function guarded(command: Extract<Command, { kind: 'migrate' }>, streams: Streams, known: KnownReleases): number {
  try {
    return migrate(command, streams, known);
  } catch (error) {
    const text = reasonOf(error);
    streams.err(`sallyport-migrate: ${isFrameworkError(error) ? text.replace(/^framework: /, '') : text}\n`);
    return MIGRATE_EXIT.failed;
  }
}

function migrate(command: Extract<Command, { kind: 'migrate' }>, streams: Streams, known: KnownReleases): number {
  const { root, apply, map, rules, force, json, upgrade } = command;
  const mapping = upgrade
    ? upgradeMapping(upgrade.from, upgrade.to, known.upgrades, known.set)
    : readMapping(root, map);
  if (typeof mapping === 'string') {
    streams.err(`sallyport-migrate: ${mapping}\n`);
    return MIGRATE_EXIT.failed;
  }
  const plan = planMigration({ root, rules, ...(mapping && { mapping }) });
  const count = plan.changes.length;
  const isBlocked = apply && count > 0 && !force && hasUncommitted(plan.root);
  report(plan, streams);
  if (json) streams.out(`${JSON.stringify(summaryOf(plan, apply && !isBlocked), undefined, 2)}\n`);
  if (isBlocked) {
    streams.err('sallyport-migrate: the working tree has changes that are not committed: commit them, or add -force\n');
    return MIGRATE_EXIT.failed;
  }
  if (count === 0) streams.err('sallyport-migrate: no changes\n');
  else if (!apply) {
    if (!json) streams.out(formatPatch(plan));
    streams.err(`sallyport-migrate: ${count} file(s) would change (re-run with -apply)\n`);
  } else {
    applyPlan(plan);
    streams.err(`sallyport-migrate: updated ${count} file(s)\n`);
  }
  if (plan.broken.length > 0) return MIGRATE_EXIT.failed;
  if (count > 0 && !apply) return MIGRATE_EXIT.wouldChange;
  return isLeft(plan) ? MIGRATE_EXIT.left : MIGRATE_EXIT.done;
}

function isLeft({ manual, handlers }: MigrationPlan): boolean {
  return manual.length > 0 || handlers.some(({ outcome }) => outcome !== 'rewritten');
}

/** The handlers of each outcome. */
function countHandlers({ handlers }: MigrationPlan): Readonly<Record<MigratedHandler['outcome'], number>> {
  const count = { rewritten: 0, mounted: 0, left: 0 };
  for (const { outcome } of handlers) count[outcome] += 1;
  return count;
}

/** The result for programs. */
function summaryOf(plan: MigrationPlan, isApplied: boolean): object {
  const { handlers, manual, broken, skipped, changes } = plan;
  const files = changes.map(({ path }) => path);
  return { applied: isApplied, files, count: countHandlers(plan), handlers, manual, broken, skipped };
}

/** The named mapping, else the mapping in the root; `undefined` if absent. */
function readMapping(root: string, map: string | undefined): Mapping | undefined {
  const file = map ?? join(root, 'sallyport-migrate.json');
  if (map === undefined && !existsSync(file)) return undefined;
  let json: string;
  try {
    json = readFileSync(file, 'utf8');
  } catch (error) {
    throw migrateError('migrate.invalid_mapping', `the mapping file cannot be read: ${reasonOf(error)}`, error);
  }
  return parseMapping(json);
}

function report(plan: MigrationPlan, { err }: Streams): void {
  const { manual, broken, skipped, handlers } = plan;
  for (const { path, reason } of skipped) err(`skipped: ${path}: ${reason}\n`);
  for (const { path, line, column, text } of broken) err(`broken: ${path}:${line}:${column} does not parse: ${text}\n`);
  for (const { path, line, column, rule, text } of manual) err(`manual: ${path}:${line}:${column} [${rule}] ${text}\n`);
  if (handlers.length === 0) return;
  for (const { path, line, column, text, outcome } of handlers)
    if (outcome !== 'rewritten') err(`${outcome}: ${path}:${line}:${column} ${text}\n`);
  const { rewritten, mounted, left } = countHandlers(plan);
  err(`sallyport-migrate: ${handlers.length} handler(s): ${rewritten} rewritten, ${mounted} mounted, ${left} left\n`);
}

function readVersion(): string {
  const manifest = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
