import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ENTRY = join(dirname(fileURLToPath(import.meta.url)), 'functions', 'loads.ts');
const folder = mkdtempSync(join(tmpdir(), 'durable-loads-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The code of executions, which a function without them never loads. */
const LAZY =
  /durable[\\/]src[\\/](?:internal[\\/](?:serve|lane|lane-run|step|callback|parking|execution|transport|history|handoff|failed)|start[\\/].*)\.[jt]s$/;

/** Adds a line to the SDK's own entry, and to each module of executions, which counts when its code runs. */
const counting: Plugin = {
  name: 'counting',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^@aws\/durable-execution-sdk-js$/ }, async ({ path, pluginData, ...rest }) => {
      if (pluginData === 'found') return undefined;
      const found = await resolve(path, { ...rest, pluginData: 'found' });
      return { path: found.path, namespace: 'sdk' };
    });
    onLoad({ filter: LAZY }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8')}; globalThis.lazy = (globalThis.lazy ?? 0) + 1;`,
      loader: 'ts',
    }));
    onLoad({ filter: /.*/, namespace: 'sdk' }, ({ path }) => ({
      contents: `globalThis.loads = (globalThis.loads ?? 0) + 1; export * from ${JSON.stringify(path)};`,
      resolveDir: dirname(path),
    }));
  },
};

/** Counts in a process without a bundle: one file for each load that Node's loader resolves. */
const HOOK = `
import { register } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
const file = ${JSON.stringify(join(folder, 'loads.txt'))};
const textOf = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
globalThis.countLoads = () => [textOf().split('s').length - 1, textOf().split('l').length - 1];
register('data:text/javascript,' + encodeURIComponent(
  "import { appendFileSync } from 'node:fs'; export async function resolve(name, context, next) { const found = await next(name, context);" +
  " const url = found.url.split('?')[0];" +
  " if (name === '@aws/durable-execution-sdk-js') appendFileSync(" + JSON.stringify(file) + ", 's');" +
  " if (${LAZY}.test(url) && !seen.has(url)) { seen.add(url); appendFileSync(" + JSON.stringify(file) + ", 'l'); } return found; } const seen = new Set();"));
`;

/** The SDK, and the modules of executions. */
const EXPECTED = [
  ['start', [0, 0]],
  ['ordinary', [0, 0]],
  ['"execution"', [1, 10]],
  ['"execution"', [1, 10]],
];

test('a process loads the SDK and the code of executions with the first execution: not at its start, not for an ordinary event, and once', () => {
  const hook = join(folder, 'hook.mjs');
  writeFileSync(hook, HOOK);
  const flags = ['--conditions=@sallyport/source', '--import', 'tsx', '--import', pathToFileURL(hook).href];
  const out = execFileSync(process.execPath, [...flags, ENTRY], { encoding: 'utf8', cwd: dirname(ENTRY) });
  expect(JSON.parse(out)).toEqual(EXPECTED);
});

test.each(['cjs', 'esm'] as const)(
  'a bundle in the format %s runs the code of the SDK and of executions with the first execution',
  async (format) => {
    const outfile = join(folder, format === 'cjs' ? 'loads.cjs' : 'loads.mjs');
    const count = 'globalThis.countLoads = () => [globalThis.loads ?? 0, globalThis.lazy ?? 0];';
    // Packages of CommonJS in a file of ES modules call `require`. The SDK declares `createRequire` itself.
    const require =
      "import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(import.meta.url);";
    await build({
      entryPoints: [ENTRY],
      outfile,
      bundle: true,
      platform: 'node',
      format,
      conditions: ['@sallyport/source'],
      logLevel: 'silent',
      plugins: [counting],
      banner: { js: format === 'cjs' ? count : `${require} ${count}` },
    });
    expect(JSON.parse(execFileSync(process.execPath, [outfile], { encoding: 'utf8' }))).toEqual(EXPECTED);
  },
);

test('without the SDK an ordinary event is served, and an execution is rejected with the package to install', async () => {
  // Not below a folder that has the package.
  const outfile = join(folder, 'missing.cjs');
  await build({
    entryPoints: [ENTRY],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    conditions: ['@sallyport/source'],
    external: ['@aws/durable-execution-sdk-js'],
    logLevel: 'silent',
    banner: { js: 'globalThis.countLoads = () => 0;' },
  });
  const { stdout, stderr, status } = spawnSync(process.execPath, [outfile], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([
    0,
    '[["start",0],["ordinary",0],["durable.sdk_missing",0],["durable.sdk_missing",0]]',
  ]);
  expect(stderr).toContain('install @aws/durable-execution-sdk-js 2.4 or later');
});
