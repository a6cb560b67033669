import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunction } from '@sallyport/bundle';
import { ConstructError } from '../../errors.js';
import { toConstructError } from '../../function/bundle-function.js';

/** A file of the application, and the variables of the process that loads it. */
export interface EntryRun {
  readonly entry: string;
  readonly conditions: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Statements that set `result`, from the module `loaded` and the string `name`. */
  readonly program: string;
  readonly name: string;
}

/** The result of {@link runEntry}. */
export interface EntryResult {
  readonly result: unknown;
  /** The variables that the file reads when it is loaded. */
  readonly read: readonly string[];
}

/** The time limit for loading the file, in milliseconds. */
const LIMIT_MS = 10_000;

/** Loads the bundle, and writes the result to descriptor 3: standard output belongs to the application. */
const wrap = (program: string) => `
import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
const [, , file, name] = process.argv;
const read = new Set();
// The function environment of @sallyport/parameters then describes its variables instead of throwing.
const described = [];
globalThis[Symbol.for('sallyport.parameters.environment/1')] = described;
process.env = new Proxy(process.env, {
  get(target, key) {
    if (typeof key === 'string') read.add(key);
    return target[key];
  },
});
const loaded = await import(pathToFileURL(file).href);
let result;
${program}
writeSync(3, JSON.stringify({ result, read: [...read] }));
process.exit(0);
`;

/**
 * Bundles a file and loads it in a separate process, with these variables only and for at most 10 s.
 *
 * @throws ConstructError `constructs.bundling_failed`; `constructs.invalid_inventory` with the error message of the file
 */
export function runEntry({ entry, conditions, environment, program, name }: EntryRun): EntryResult {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-inventory-'));
  try {
    bundleEntry(entry, folder, conditions);
    const file = join(folder, 'read.mjs');
    writeFileSync(file, wrap(program));
    return JSON.parse(runProgram(entry, environment, [file, join(folder, 'index.mjs'), name])) as EntryResult;
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

function runProgram(entry: string, env: Readonly<Record<string, string>>, args: readonly string[]): string {
  const { output, status, error } = spawnSync(process.execPath, args, {
    env,
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
    'expected a file that exports the application and needs no network and no AWS account at import; pass literal variables as environment';
  throw new ConstructError('constructs.invalid_inventory', `framework: inventoryFromEntry: ${what}, ${expected}`, '');
}
