import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Mapping, type MigrationPlan, planMigration, type Rule } from '../../src/index.js';

export const GOLDEN = fileURLToPath(new URL('../golden', import.meta.url));
export const WORKSPACE = fileURLToPath(new URL('../../../..', import.meta.url));

const places: string[] = [];

/** Removes every service that a test has made. */
export function removeServices(): void {
  for (const place of places.splice(0)) rmSync(place, { recursive: true, force: true });
}

/** Makes a service of these files and returns its folder. */
export function makeService(files: Readonly<Record<string, string | Buffer>>): string {
  const root = mkdtempSync(join(tmpdir(), 'sallyport-migrate-'));
  places.push(root);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

/** A copy of a folder of test data, as a service. */
export function copyOf(folder: string): string {
  return makeService(Object.fromEntries(filesOf(folder).map((path) => [path, readFileSync(join(folder, path))])));
}

/** Paths of all files in a folder, including names that begin with a dot. */
export function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort();
}

/** Every file below a folder with its bytes as text. */
export function contentOf(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(filesOf(folder).map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

export function makeReadOnly(root: string, path: string): void {
  chmodSync(join(root, path), 0o444);
}

/** The new content of one file of a plan; the old content if unchanged. */
export function textAfter(plan: MigrationPlan, path: string, before: string): string {
  return plan.changes.find((change) => change.path === path)?.after ?? before;
}

/** Plans the migration of one file and returns its new content and its manual steps: `3:5 text`. */
export function migrateText(
  text: string,
  rules: readonly Rule[],
  mapping?: Mapping,
  path = 'a.ts',
): { readonly after: string; readonly manual: readonly string[] } {
  const plan = planMigration({ root: makeService({ [path]: text }), rules, ...(mapping && { mapping }) });
  const manual = plan.manual.map(({ line, column, text: step }) => `${line}:${column} ${step}`);
  return {
    after: textAfter(plan, path, text),
    manual: [...plan.broken.map(({ text: why }) => `broken: ${why}`), ...manual],
  };
}
