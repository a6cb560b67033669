import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bundle, type BundleOptions, bundleFunction, lambdaFlags } from '../../src/index.js';

export const MAJOR = Number(process.versions.node.split('.')[0]);

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bundle-'));
  made.push(folder);
  return folder;
}

/** A folder with the files of a project. */
export function newProject(files: Readonly<Record<string, string>>): string {
  const folder = newFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

export const FUNCTIONS = fileURLToPath(new URL('../functions/', import.meta.url));

/** Bundles a file for this Node, with the workspace's packages from their sources. */
export function bundle(entry: string, options: Partial<BundleOptions> = {}): Bundle & { readonly folder: string } {
  const folder = newFolder();
  const conditions = ['@sallyport/source'];
  return { folder, ...bundleFunction({ entry, outdir: folder, target: `node${MAJOR}`, conditions, ...options }) };
}

/** A copy of a bundle, to change. */
export function copyOf(folder: string): string {
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

export interface Start {
  /** The results of the events, in their order. */
  readonly answers: readonly unknown[];
  /** Other lines of the output. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** Modules of Node that were loaded between the start of the bundle and the end of its loading. */
  readonly loaded: readonly string[];
}

/** Loads a bundle in a fresh process with Lambda's flags and variables, and sends it events. */
export function start(
  folder: string,
  events: readonly unknown[],
  { memory = 256, variables = {} }: { memory?: number; variables?: Readonly<Record<string, string>> } = {},
): Start {
  const isEsm = existsSync(join(folder, 'index.mjs'));
  const program = `
    const before = new Set(process.moduleLoadList);
    (async () => {
      const { handler } = ${isEsm ? 'await import' : 'require'}(${JSON.stringify(join(folder, isEsm ? 'index.mjs' : 'index.js'))});
      const loaded = process.moduleLoadList.filter((one) => !before.has(one));
      const context = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 3000 };
      const answers = [];
      for (const event of ${JSON.stringify(events)}) answers.push(await handler(event, context).catch((error) => ({ code: error.code, stack: error.stack })));
      console.log(JSON.stringify({ answers, loaded }));
    })();`;
  const env = { AWS_LAMBDA_FUNCTION_NAME: 'notes', AWS_LAMBDA_RUNTIME_API: '127.0.0.1:9', ...variables };
  // A program on the command line would be one of the flags.
  const file = join(newFolder(), 'start.cjs');
  writeFileSync(file, program);
  const { stdout, stderr, status } = spawnSync(process.execPath, [...lambdaFlags(memory, MAJOR), file], {
    encoding: 'utf8',
    env,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  const last = lines.pop() as unknown as Pick<Start, 'answers' | 'loaded'>;
  return { ...last, lines };
}
