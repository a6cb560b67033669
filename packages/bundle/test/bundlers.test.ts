/** The conditions in other bundlers, with the packages as an application installs them: compiled, in `node_modules`. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { build, transformSync } from 'esbuild';
import { rollup } from 'rollup';
import webpack from 'webpack';

const ROLLDOWN = fileURLToPath(new URL('./programs/rolldown.mjs', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../../', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'sallyport-bundlers-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Writes the parts of a published package that a bundler reads. */
function install(name: string): void {
  const target = join(project, 'node_modules/@sallyport', name);
  mkdirSync(target, { recursive: true });
  cpSync(join(PACKAGES, name, 'package.json'), join(target, 'package.json'));
  const source = join(PACKAGES, name, 'src');
  for (const file of readdirSync(source, { recursive: true }) as string[]) {
    if (!file.endsWith('.ts')) continue;
    const output = join(target, 'dist', file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(output), { recursive: true });
    const { code } = transformSync(readFileSync(join(source, file), 'utf8'), { loader: 'ts', target: 'es2022' });
    writeFileSync(output, code);
  }
}
for (const name of ['appsync', 'core', 'dispatch', 'http', 'secure', 'streams']) install(name);

const entry = join(project, 'lambda.mjs');
writeFileSync(
  entry,
  `import { json } from '@sallyport/http';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
const app = new SecureApp({ log: false });
app.get('/health', () => json(200, { ok: true }), Public());
app.get('/notes', () => json(200, {}), Authenticated());
export const handler = app.handleLambda;
export const tryQueue = () => app.queue('orders', () => undefined);
`,
);
writeFileSync(join(project, 'package.json'), '{"type":"module"}');

type Bundler = (output: string, conditions: readonly string[]) => Promise<unknown>;
const isExternal = (id: string) => /^(?:node:|@aws-sdk\/)/.test(id);

const BUNDLERS: Readonly<Record<string, Bundler>> = {
  esbuild: (outfile, conditions) =>
    build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      conditions: [...conditions],
      external: ['@aws-sdk/*'],
      logLevel: 'silent',
    }),
  Rollup: async (file, conditions) => {
    const plugins = [nodeResolve({ exportConditions: ['node', ...conditions] })];
    const made = await rollup({ input: entry, external: isExternal, plugins, onwarn: () => {} });
    await made.write({ file, format: 'es', inlineDynamicImports: true });
    await made.close();
  },
  Rolldown: async (file, conditions) => {
    const args = [ROLLDOWN, entry, file, conditions.join(',')];
    expect(spawnSync(process.execPath, args, { encoding: 'utf8', env: {} })).toMatchObject({ status: 0, stderr: '' });
  },
  webpack: (output, conditions) =>
    new Promise((resolve, reject) => {
      webpack(
        {
          mode: 'production',
          target: 'node20',
          entry,
          experiments: { outputModule: true },
          externals: [/^@aws-sdk\//],
          output: {
            path: dirname(output),
            filename: basename(output),
            library: { type: 'module' },
            chunkFormat: 'module',
          },
          resolve: { conditionNames: ['node', 'import', ...conditions] },
          performance: false,
        },
        (error, stats) => {
          if (error || stats?.hasErrors()) reject(error ?? new Error(stats?.toString('errors-only')));
          else resolve(undefined);
        },
      );
    }),
};

const PARTS = ['events', 'websocket', 'graphql', 'surfaces', 'cors', 'hooks', 'explain', 'openapi', 'load-balancer'];
const CONDITIONS = PARTS.map((part) => `sallyport-no-${part}`);

const PROGRAM = `
const { handler, tryQueue } = await import(process.argv[2]);
const http = (path) => ({ version: '2.0', routeKey: '$default', rawPath: path, requestContext: { http: { method: 'GET', path } } });
const queue = { Records: [{ messageId: 'm', body: '', attributes: {}, eventSource: 'aws:sqs', eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:orders' }] };
const outcomes = [];
for (const event of [http('/health'), http('/notes'), queue]) {
  outcomes.push(await handler(event).then((answer) => answer.statusCode ?? 'batch', (error) => error.code));
}
try { tryQueue(); outcomes.push('registered'); } catch (error) { outcomes.push(error.code); }
console.log(JSON.stringify(outcomes));
`;
const program = join(project, 'run.mjs');
writeFileSync(program, PROGRAM);

function outcomesOf(file: string): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, [program, file], { encoding: 'utf8', env: {} });
  return stdout === '' ? stderr.slice(-600) : JSON.parse(stdout);
}

it.each(Object.entries(BUNDLERS))(
  '%s leaves the parts out with the conditions, and keeps all parts without',
  async (name, run) => {
    const [full, lean] = [join(project, `${name}-full.mjs`), join(project, `${name}-lean.mjs`)];
    await run(full, []);
    await run(lean, CONDITIONS);
    expect(outcomesOf(full)).toEqual([200, 401, 'batch', 'registered']);
    expect(outcomesOf(lean)).toEqual([200, 401, 'dispatch.no_adapter', 'app.left_out']);
    const [before, after] = [full, lean].map((file) => readFileSync(file, 'utf8'));
    expect(after?.length).toBeLessThan((before?.length ?? 0) * 0.7);
    // Code of a queue.
    expect([before, after].map((code) => code?.includes('batchItemFailures'))).toEqual([true, false]);
  },
);

it('a bundler that supports only the default import condition keeps all parts', () => {
  const manifest = readFileSync(join(project, 'node_modules/@sallyport/dispatch/package.json'), 'utf8');
  const { imports } = JSON.parse(manifest) as { imports: Readonly<Record<string, { readonly default: string }>> };
  expect(Object.values(imports).filter((target) => target.default.includes('left-out'))).toEqual([]);
  // Node itself resolves the imports, without a bundler.
  expect(outcomesOf(entry)).toEqual([200, 401, 'batch', 'registered']);
});
