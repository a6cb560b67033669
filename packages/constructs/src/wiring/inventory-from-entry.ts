import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunction } from '@sallyport/bundle';
import { ConstructError } from '../errors.js';
import { toConstructError } from '../function/bundle-function.js';
import { type Inventory, parseInventory } from './inventory.js';

/** Props of {@link inventoryFromEntry}. */
export interface InventoryFromEntryProps {
  /** The file that exports the application. */
  readonly entry: string;
  /**
   * The export.
   *
   * @default 'app'
   */
  readonly exportName?: string;
  /**
   * Export conditions of packages, as in esbuild.
   *
   * @default - esbuild's conditions
   */
  readonly conditions?: readonly string[];
}

/** The time limit for loading the file, in milliseconds. */
const LIMIT_MS = 10_000;

/** Loads the bundle, and writes the inventory to descriptor 3: standard output belongs to the application. */
const PROGRAM = `
import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
const [, , file, name] = process.argv;
const app = (await import(pathToFileURL(file).href))[name];
if (typeof app?.routes !== 'function' || typeof app.triggers !== 'function') throw new Error('the export "' + name + '" is not an application');
const routes = app.routes();
const container = routes.every((route) => 'posture' in route) ? 'secure' : 'open';
const { deployment } = app.handleLambda?.[Symbol.for('framework.inspect')] ?? {};
writeSync(3, JSON.stringify({ version: 1, container, routes, triggers: app.triggers(), deployment }));
process.exit(0);
`;

/**
 * The inventory of an application that infrastructure code does not import: the file is bundled and loaded in a separate process,
 * without the variables of this process and for at most 10 s.
 *
 * @throws ConstructError `constructs.bundling_failed`; `constructs.invalid_inventory` with the error message of the file
 * @example new ServiceWiring(this, 'Wiring', { fn, inventory: inventoryFromEntry({ entry: 'src/app.ts' }) });
 */
export function inventoryFromEntry({ entry, exportName = 'app', conditions = [] }: InventoryFromEntryProps): Inventory {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-inventory-'));
  try {
    bundleEntry(entry, folder, conditions);
    const program = join(folder, 'read.mjs');
    writeFileSync(program, PROGRAM);
    return parseInventory(JSON.parse(runProgram(entry, [program, join(folder, 'index.mjs'), exportName])));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function bundleEntry(entry: string, outdir: string, conditions: readonly string[]): void {
  try {
    bundleFunction({ entry, outdir, conditions, minify: false, splitting: false, format: 'esm' });
  } catch (error) {
    throw toConstructError(undefined, error);
  }
}

function runProgram(entry: string, args: readonly string[]): string {
  const { output, status, error } = spawnSync(process.execPath, args, {
    env: {},
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  const found = output?.[3] ?? '';
  if (status === 0 && found !== '') return found;
  const isLate = (error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT';
  const said = /^\w*Error.*: .*$/m.exec(output?.[2] ?? '')?.[0] ?? error?.message ?? `exit status ${status}`;
  const what = isLate
    ? `${entry} did not load within ${LIMIT_MS / 1000} s`
    : `${entry} throws when it is loaded: ${said}`;
  const expected =
    'expected a file that exports the application and needs no variable, no network and no AWS account at import';
  throw new ConstructError('constructs.invalid_inventory', `framework: inventoryFromEntry: ${what}, ${expected}`, '');
}
