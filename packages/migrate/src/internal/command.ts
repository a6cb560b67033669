import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFrameworkError } from '@sallyport/core';
import { migrateError, reasonOf } from '../errors.js';
import type { Mapping } from '../mapping/mapping.js';
import { parseMapping } from '../mapping/parse.js';
import { applyPlan } from '../plan/apply.js';
import { formatPatch } from '../plan/patch.js';
import type { MigrationPlan } from '../plan/plan.js';
import { planMigration } from '../plan/plan-migration.js';
import { hasUncommitted } from '../tree/internal/read.js';
import { type Command, parseCommand } from './arguments.js';

/** The output streams of the command. */
export interface Streams {
  readonly out: (text: string) => unknown;
  readonly err: (text: string) => unknown;
}

/** Exit codes: nothing left to do, a dry run that would change files, a failure. */
const MIGRATE_EXIT = { done: 0, wouldChange: 1, failed: 2 } as const;

const HELP = `usage: sallyport-migrate [-root <path>] [-apply] [-map <file>] [-rules <list>]

Moves a service to Sallyport. Without -apply it writes nothing and prints a diff.

  -root <path>    directory of the service (default .)
  -apply          rewrite the files
  -map <file>     mapping of the old framework's names (default <root>/sallyport-migrate.json, if it exists)
  -rules <list>   some of imports,strict,secure,package (default all); without secure, routes have no postures
  -help           this text
  -version        the version

exit code: 0 nothing to change, or everything applied; 1 a dry run would change files; 2 failed
`;

/** Runs the command and returns its exit code. */
export function runCommand(args: readonly string[], streams: Streams): number {
  const command = parseCommand(args);
  if (command.kind === 'migrate') return guarded(command, streams);
  if (command.kind === 'usage') {
    streams.err(`sallyport-migrate: ${command.problem}\n${HELP}`);
    return MIGRATE_EXIT.failed;
  }
  streams.out(command.kind === 'help' ? HELP : `${readVersion()}\n`);
  return MIGRATE_EXIT.done;
}

function guarded(command: Extract<Command, { kind: 'migrate' }>, streams: Streams): number {
  try {
    return migrate(command, streams);
  } catch (error) {
    const text = reasonOf(error);
    streams.err(`sallyport-migrate: ${isFrameworkError(error) ? text.replace(/^framework: /, '') : text}\n`);
    return MIGRATE_EXIT.failed;
  }
}

function migrate({ root, apply, map, rules }: Extract<Command, { kind: 'migrate' }>, streams: Streams): number {
  const mapping = readMapping(root, map);
  const plan = planMigration({ root, rules, ...(mapping && { mapping }) });
  report(plan, streams);
  const count = plan.changes.length;
  if (count === 0) streams.err('sallyport-migrate: no changes\n');
  else if (!apply) {
    streams.out(formatPatch(plan));
    streams.err(`sallyport-migrate: ${count} file(s) would change (re-run with -apply)\n`);
  } else {
    if (hasUncommitted(plan.root)) streams.err('warning: the working tree has changes that are not committed\n');
    applyPlan(plan);
    streams.err(`sallyport-migrate: updated ${count} file(s)\n`);
  }
  if (plan.broken.length > 0) return MIGRATE_EXIT.failed;
  return count > 0 && !apply ? MIGRATE_EXIT.wouldChange : MIGRATE_EXIT.done;
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

function report({ manual, broken, skipped }: MigrationPlan, { err }: Streams): void {
  for (const { path, reason } of skipped) err(`skipped: ${path}: ${reason}\n`);
  for (const { path, line, column, text } of broken) err(`broken: ${path}:${line}:${column} does not parse: ${text}\n`);
  for (const { path, line, column, rule, text } of manual) err(`manual: ${path}:${line}:${column} [${rule}] ${text}\n`);
}

function readVersion(): string {
  const manifest = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
