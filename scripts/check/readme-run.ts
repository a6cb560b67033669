import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type BuildFailure, build, type Plugin } from 'esbuild';
import * as connections from '../../packages/connections/src/schema.js';
import * as jobs from '../../packages/jobs/src/schema.js';
import * as mcp from '../../packages/mcp/src/schema.js';
import * as microvm from '../../packages/microvm/src/schema.js';
import * as ratelimit from '../../packages/ratelimit/src/schema.js';
import { VECTOR_VARIABLES } from '../../packages/vectors/src/schema.js';
import { run } from './command.js';
import type { CodeBlock } from './readme-blocks.js';

/** The modules that the blocks import, and the blocks that cannot run. */
export interface RunOptions {
  readonly root: string;
  /** Package names to source files. */
  readonly paths: Readonly<Record<string, readonly string[]>>;
  /** Folders of packages whose dependencies the blocks may import. */
  readonly modules: readonly string[];
  /** Blocks that are not run. */
  readonly notRun: readonly NotRun[];
}

/** A block that is compiled and not run. */
export interface NotRun {
  /** The Markdown file. */
  readonly file: string;
  /** A string of the block; left out for every block of the file. */
  readonly contains?: string;
  /** The reason why it cannot run here. */
  readonly why: string;
}

/**
 * Runs each block as a module, without a network, and reports failures: an exception, a `console.assert` whose condition is
 * false, or a block that does not end. An entry of `notRun` that matches no block is reported too.
 */
export async function runBlocks(blocks: readonly CodeBlock[], options: RunOptions): Promise<readonly string[]> {
  const fits = ({ file, contains }: NotRun, block: CodeBlock) =>
    block.file === file && (contains === undefined || block.code.includes(contains));
  const surplus = options.notRun.filter((entry) => !blocks.some((block) => fits(entry, block)));
  const runnable = blocks.filter((block) => !options.notRun.some((entry) => fits(entry, block)));
  const folder = mkdtempSync(join(tmpdir(), 'readme-blocks-'));
  try {
    const problems = await bundleAll(runnable, blocks, folder, options);
    const report = problems.length > 0 ? [] : await runAll(runnable, folder);
    const missing = surplus.map(
      ({ file, contains = '' }) => `${file}: no block that is left out of the run: ${contains}`,
    );
    return [...problems, ...report, ...missing];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One bundle for each block, with the sources of the project. */
async function bundleAll(
  runnable: readonly CodeBlock[],
  all: readonly CodeBlock[],
  folder: string,
  { root, paths, modules }: RunOptions,
): Promise<readonly string[]> {
  if (runnable.length === 0) return [];
  try {
    await build({
      entryPoints: runnable.map((_, index) => ({ in: `block:${index}`, out: String(index) })),
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      absWorkingDir: root,
      conditions: ['@sallyport/source'],
      // As bundleFunction: an AWS client has no named exports otherwise.
      mainFields: ['module', 'main'],
      banner: {
        js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
      },
      nodePaths: modules.map((path) => join(root, path, 'node_modules')),
      logLevel: 'silent',
      plugins: [blockFiles(runnable, all, root), projectSources(paths), cdkOutside(root)],
    });
    return [];
  } catch (error) {
    const { errors = [] } = error as Partial<BuildFailure>;
    return errors.map(({ text, location }) => `${location?.file ?? 'a block'}: ${text}`);
  }
}

/** Loads blocks, and the files that the page's other blocks create. */
function blockFiles(runnable: readonly CodeBlock[], all: readonly CodeBlock[], root: string): Plugin {
  const nameOf = (path: string) => basename(path).replace(/\.[jt]s$/, '');
  return {
    name: 'blocks',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^block:/ }, ({ path }) => ({
        path,
        namespace: 'block',
        pluginData: runnable[Number(path.slice('block:'.length))],
      }));
      onResolve({ filter: /^\.{1,2}\//, namespace: 'block' }, ({ path, pluginData }) => {
        const { file } = pluginData as CodeBlock;
        const found = all.find((one) => one.file === file && one.name && nameOf(one.name) === nameOf(path));
        return found && { path: `${file}/${found.name}`, namespace: 'block', pluginData: found };
      });
      onLoad({ filter: /.*/, namespace: 'block' }, ({ pluginData }) => {
        const block = pluginData as CodeBlock;
        return { contents: block.code, loader: 'ts', resolveDir: join(root, dirname(block.file)), pluginData: block };
      });
    },
  };
}

function projectSources(paths: RunOptions['paths']): Plugin {
  return {
    name: 'sources',
    setup({ onResolve }) {
      onResolve({ filter: /^@sallyport\// }, ({ path }) => {
        const [file] = paths[path] ?? [];
        return file === undefined ? undefined : { path: file };
      });
    },
  };
}

/** Excludes the CDK from the bundles: it reads files next to its modules. */
function cdkOutside(root: string): Plugin {
  const { resolve } = createRequire(join(root, 'packages/constructs/package.json'));
  return {
    name: 'cdk',
    setup({ onResolve }) {
      onResolve({ filter: /^(?:aws-cdk-lib|constructs)(?:\/|$)/ }, ({ path }) => ({
        path: resolve(path),
        external: true,
      }));
    },
  };
}

const SCHEMAS: readonly Readonly<Record<string, unknown>>[] = [connections, jobs, mcp, microvm, ratelimit];
/** Tables by the names that infrastructure code reads, so that a renamed variable is found here too. */
const TABLES = SCHEMAS.flatMap((schema) =>
  Object.entries(schema).flatMap(([name, value]) =>
    name.endsWith('_TABLE_NAME_ENV') ? [[String(value), 'table']] : [],
  ),
);
/** The variables of a deployed function, a secret for a block, and the CDK's folder. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(TABLES),
  [mcp.MCP_SPILL_BUCKET_ENV]: 'spill',
  [mcp.MCP_SECRET_ARN_ENV]: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:mcp',
  AWS_REGION: 'us-east-1',
  [VECTOR_VARIABLES.vectorBucketName]: 'vectors',
  [VECTOR_VARIABLES.indexName]: 'notes',
  [VECTOR_VARIABLES.dimension]: '1024',
  PROGRESS_SECRET: 'a-secret-of-the-client',
  CDK_VALIDATION: 'false',
  CDK_CONTEXT_JSON: '{"aws:cdk:bundling-stacks":[]}',
};

/** The program that imports one bundle after the other, in a process without AWS settings. */
const PROGRAM = `
import { writeFileSync } from 'node:fs';
const [folder, count, environment] = process.argv.slice(2);
for (const name of Object.keys(process.env)) if (/^(?:AWS|FRAMEWORK)_/.test(name)) delete process.env[name];
Object.assign(process.env, JSON.parse(environment), { CDK_OUTDIR: folder + '/cdk.out' });
globalThis.fetch = () => Promise.reject(new TypeError('no network here'));
console.assert = (condition, ...words) => { if (!condition) throw new Error(words.join(' ') || 'console.assert failed'); };
for (const level of ['log', 'info', 'warn', 'error']) console[level] = () => {};
process.stdout.write = () => true;
const report = [];
for (let index = 0; index < Number(count); index += 1) {
  const late = new Promise((resolve) => setTimeout(resolve, 10_000, 'did not end within 10 s').unref());
  const ran = import(folder + '/' + index + '.mjs').then(() => '', (error) => String(error?.message ?? error).split('\\n')[0] || 'threw');
  report.push(await Promise.race([ran, late]));
  writeFileSync(folder + '/report.json', JSON.stringify(report));
}
process.exit(0);
`;

async function runAll(runnable: readonly CodeBlock[], folder: string): Promise<readonly string[]> {
  if (runnable.length === 0) return [];
  const program = join(folder, 'program.mjs');
  writeFileSync(program, PROGRAM);
  const { output } = await run(process.execPath, [
    program,
    folder,
    String(runnable.length),
    JSON.stringify(ENVIRONMENT),
  ]);
  const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as readonly string[];
  return runnable.flatMap(({ file, line }, index) => {
    const problem = report[index] ?? `ended the process: ${output.split('\n')[0]}`;
    return problem === '' ? [] : [`${file}:${line}: ${problem}`];
  });
}
