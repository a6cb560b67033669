/**
 * `npm run newcomer`: follows docs/start.md in an empty folder, with only the archives. Runs the commands of the page, then
 * compiles, tests, bundles and runs the result with common tools. Needs the npm registry; not part of CI.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT, run } from '../../check/command.js';
import { sourceEntries } from '../../check/workspace.js';
import { nodeBinary } from '../../node-versions.js';
import { closureOf, type PackedPackage, packAll } from '../../release/archives.js';
import { effortOf, MOST_COMMANDS, MOST_LINES, stepsOf } from './page.js';

const NODES = ['20.19.0', '22.23.3', '24.21.0'];
const COMPILERS = ['5.4', '5.9', '6.0', '7.0'];
const TOOLS = [
  'vitest',
  'jest@30',
  'rollup',
  '@rollup/plugin-node-resolve',
  '@rollup/plugin-commonjs',
  'webpack',
  'webpack-cli',
  'esbuild',
];
const EVENT = 'aws-lambda-event.json';

const place = mkdtempSync(join(tmpdir(), 'sallyport-newcomer-'));
const service = join(place, 'my-service');
let failures = 0;

try {
  const packed = await packAll(join(place, 'archives'));
  await step('the page, command by command', () => play(packed));
  for (const version of COMPILERS) await step(`tsc ${version} --strict on every entry`, () => compile(packed, version));
  await step('every entry can be imported and required', () => load(packed));
  await step('pnpm installs the same archives', () => installWithPnpm(packed));
  await sh(
    service,
    `npm install --no-save --no-audit --no-fund ${TOOLS.join(' ')} ${archivesOf(['@sallyport/testkit', '@sallyport/secure'], packed)}`,
  );
  await step('the test runs in vitest', () => runTest('vitest', 'npx vitest run test/vitest.test.ts'));
  await step('the test runs in jest', () =>
    runTest('jest', 'node --experimental-vm-modules --import tsx node_modules/jest/bin/jest.js dist/jest.test.mjs'),
  );
  for (const [name, command] of Object.entries(BUNDLERS())) {
    await step(`a bundle by ${name} answers alone on Node ${NODES.join(', ')}`, () => bundle(name, command));
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}
process.stdout.write(failures === 0 ? '\nthe newcomer arrives\n' : `\n${failures} steps failed\n`);
process.exitCode = failures === 0 ? 0 : 1;

async function step(name: string, act: () => Promise<string | undefined>): Promise<void> {
  const started = Date.now();
  const outcome = await act().then(
    (note) => `ok      ${name}${note ? `: ${note}` : ''}`,
    (error: Error) => {
      failures += 1;
      return `FAILED  ${name}\n${error.message}`;
    },
  );
  process.stdout.write(`${outcome}, ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
}

async function sh(folder: string, command: string): Promise<string> {
  const { status, output, stdout } = await run('sh', ['-c', command], folder);
  if (status !== 0) throw new Error(`${command}\n${output}`);
  return stdout;
}

/** Our packages by their archives: they are not in the registry before a release. */
function archivesOf(names: readonly string[], packed: readonly PackedPackage[]): string {
  return closureOf(names, packed)
    .map(({ archive }) => archive)
    .join(' ');
}

async function play(packed: readonly PackedPackage[]): Promise<string> {
  const steps = stepsOf(readFileSync(join(ROOT, 'docs', 'start.md'), 'utf8'), '## Deploy');
  for (const one of steps) {
    if (one.kind === 'file') {
      mkdirSync(dirname(join(service, one.name)), { recursive: true });
      writeFileSync(join(service, one.name), one.text);
    } else if (one.text.startsWith('mkdir my-service')) {
      mkdirSync(service);
    } else {
      const named = one.text.match(/@sallyport\/[\w-]+/g) ?? [];
      const rest = one.text.replaceAll(/@sallyport\/[\w-]+ ?/g, '');
      await sh(service, one.text.startsWith('npm install') ? `${rest} ${archivesOf(named, packed)}` : one.text);
    }
  }
  const test = steps.findIndex((one) => one.kind === 'command' && one.text.includes('--test'));
  const { commands, lines } = effortOf(steps.slice(0, test + 1));
  if (test < 0 || commands > MOST_COMMANDS || lines > MOST_LINES)
    throw new Error(`to the first green test: ${commands} commands, ${lines} lines of code`);
  return `${commands} commands and ${lines} lines of code to the first green test`;
}

/** Every entry of every package as a strict module sees it, declarations included. */
async function compile(packed: readonly PackedPackage[], version: string): Promise<string> {
  const folder = join(place, `tsc-${version}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const entries = entriesOf(packed);
  const isOnTheCdk = (entry: string) => entry.startsWith('@sallyport/constructs');
  const programs = { own: entries.filter((entry) => !isOnTheCdk(entry)), onTheCdk: entries.filter(isOnTheCdk) };
  for (const [name, list] of Object.entries(programs)) {
    const lines = list.map((entry, i) => `import * as e${i} from '${entry}';\nvoid e${i};\n`);
    writeFileSync(join(folder, `${name}.ts`), lines.join(''));
  }
  await sh(
    folder,
    `npm install --no-audit --no-fund ${archivesOf(namesOf(packed), packed)} typescript@${version} @types/node@20 ${peersOf(packed).join(' ')}`,
  );
  const tsc = 'npx tsc --noEmit --strict --module nodenext --target es2022 --types node';
  await sh(folder, `${tsc} --exactOptionalPropertyTypes own.ts`);
  // The declarations of the CDK do not compile with exact optional properties.
  await sh(folder, `${tsc} onTheCdk.ts`);
  return `${entries.length} entries`;
}

async function load(packed: readonly PackedPackage[]): Promise<string> {
  const folder = join(place, `tsc-${COMPILERS[0]}`);
  const entries = entriesOf(packed);
  for (const version of NODES) {
    const node = nodeBinary(version);
    await sh(folder, `${node} --input-type=module -e "for (const e of ${quoted(entries)}) await import(e)"`);
    await sh(folder, `${node} --no-warnings --input-type=commonjs -e "for (const e of ${quoted(entries)}) require(e)"`);
  }
  return `Node ${NODES.join(', ')}`;
}

async function installWithPnpm(packed: readonly PackedPackage[]): Promise<undefined> {
  const folder = join(place, 'pnpm');
  mkdirSync(folder);
  const names = ['@sallyport/http', '@sallyport/secure', '@sallyport/testkit'];
  const dependencies = Object.fromEntries(
    closureOf(names, packed).map(({ manifest, archive }) => [manifest.name, `file:${archive}`]),
  );
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ type: 'module', dependencies: { ...dependencies, tsx: '*' } }),
  );
  const overrides = Object.entries(dependencies).map(([name, archive]) => `  "${name}": "${archive}"`);
  writeFileSync(
    join(folder, 'pnpm-workspace.yaml'),
    `overrides:\n${overrides.join('\n')}\nallowBuilds:\n  esbuild: true\n`,
  );
  for (const part of ['src', 'test']) cpSync(join(service, part), join(folder, part), { recursive: true });
  await sh(folder, 'npx --yes pnpm@12.21.0 install && npx tsx --test test/app.test.ts');
}

/** The test of the page with the imports of another runner. */
async function runTest(runner: 'vitest' | 'jest', command: string): Promise<undefined> {
  const test = readFileSync(join(service, 'test', 'app.test.ts'), 'utf8');
  if (runner === 'vitest') {
    writeFileSync(join(service, 'test', 'vitest.test.ts'), test.replace("'node:test'", "'vitest'"));
  } else {
    writeFileSync(join(service, 'jest.config.json'), '{"testMatch":["**/*.test.mjs"],"transform":{}}');
    writeFileSync(join(service, 'test', 'jest.test.ts'), test.replace("import { test } from 'node:test';\n", ''));
    await sh(
      service,
      'npx esbuild test/jest.test.ts --bundle --packages=external --platform=node --format=esm --outfile=dist/jest.test.mjs',
    );
  }
  await sh(service, command);
}

/** The command of each bundler, and the file that it writes. The output is ESM unless stated otherwise. */
function BUNDLERS(): Readonly<Record<string, string>> {
  const esbuild = 'npx esbuild src/lambda.ts --bundle --platform=node --target=node20';
  return {
    'esbuild (page)':
      'npx esbuild index=src/lambda.ts --bundle --splitting --minify --platform=node --format=esm --target=node20 --main-fields=module,main --outdir=OUT --out-extension:.js=.mjs',
    'esbuild (defaults of CDK)': `${esbuild} --format=cjs --external:@aws-sdk/* --outfile=OUT/index.js`,
    'esbuild (defaults of SAM)':
      'npx esbuild src/lambda.ts --bundle --minify --platform=node --target=es2020 --format=cjs --outfile=OUT/index.js',
    rollup:
      'npx rollup dist/lambda.mjs --plugin node-resolve --plugin commonjs --inlineDynamicImports --format=es --file=OUT/index.mjs',
    webpack:
      'npx webpack --mode production --target node20 --entry ./dist/lambda.mjs --output-path OUT --output-filename index.js --output-library-type commonjs2',
  };
}

async function bundle(name: string, command: string): Promise<undefined> {
  const alone = join(place, `alone-${name.replaceAll(/\W+/g, '-')}`);
  mkdirSync(alone);
  const strip =
    'npx esbuild src/lambda.ts --bundle --packages=external --platform=node --format=esm --outfile=dist/lambda.mjs';
  await sh(service, `${strip} && ${command.replaceAll('OUT', alone)}`);
  writeFileSync(
    join(alone, EVENT),
    readFileSync(join(ROOT, 'examples/notes/demo/events/gateway-v2-get.json'), 'utf8').replaceAll(
      '/notes/note-1',
      '/health',
    ),
  );
  const probe = `const m = await import('./' + (${JSON.stringify(/index\.mjs|=\.mjs/.test(command))} ? 'index.mjs' : 'index.js')); const event = JSON.parse((await import('node:fs')).readFileSync('${EVENT}', 'utf8')); event.rawPath = event.requestContext.http.path = '/health'; event.requestContext.stage = '$default'; const handler = m.handler ?? m.default.handler; const answer = await handler(event, { getRemainingTimeInMillis: () => 10000 }); if (answer.statusCode !== 200) throw new Error(JSON.stringify(answer));`;
  for (const version of NODES)
    await sh(
      alone,
      `${nodeBinary(version)} --input-type=module -e ${JSON.stringify(probe).replaceAll('$', '\\$').replaceAll('`', '\\`')}`,
    );
}

function namesOf(packed: readonly PackedPackage[]): readonly string[] {
  return packed.map(({ manifest }) => manifest.name);
}

function entriesOf(packed: readonly PackedPackage[]): readonly string[] {
  return packed.flatMap(({ manifest }) =>
    [...sourceEntries(manifest).keys()].map((subpath) => join(manifest.name, subpath)),
  );
}

/** Optional peers, so that the entries that need them compile: each once, in its newest version. */
function peersOf(packed: readonly PackedPackage[]): readonly string[] {
  const peers = packed.flatMap(({ manifest }) => Object.keys(manifest.peerDependencies ?? {}));
  return [...new Set(peers)]
    .filter((name) => !name.startsWith('@sallyport/'))
    .map((name) => `${name}@${majorOf(name, packed)}`);
}

/** The major version that the packages require. */
function majorOf(name: string, packed: readonly PackedPackage[]): string {
  const ranges = packed.flatMap(({ manifest }) => manifest.peerDependencies?.[name] ?? []);
  return /^\^(\d+)/.exec(ranges[0] ?? '')?.[1] ?? 'latest';
}

function quoted(entries: readonly string[]): string {
  return JSON.stringify(entries).replaceAll('"', "'");
}
