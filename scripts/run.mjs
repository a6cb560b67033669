// `node scripts/run.mjs <task> [arguments]`: sets the workspace up, then runs one task of the table below.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { bin, build, script } from './build.mjs';
import { ensureSetup, root } from './setup.mjs';

const jest = [
  process.execPath,
  ['--experimental-vm-modules', '--no-warnings', join(root, 'node_modules/jest/bin/jest.js')],
];
/** The test that creates the pictures of docs/local.md, which are not kept in the repository. */
const pictures = [jest[0], [...jest[1], 'packages/local/test/console-page.test.ts']];

const tasks = {
  build,
  check: [script('scripts/check/main.ts')],
  contract: [script('scripts/contract.ts')],
  'contract:copies': [script('scripts/two-copies.ts')],
  demo: [script('examples/notes/demo/main.ts')],
  docs: [script('scripts/docs/main.ts')],
  'docs:site': [pictures, script('tools/site/src/build.ts')],
  'docs:judge': [pictures, script('tools/site/src/judge.ts')],
  bench: [script('scripts/bench/main.ts')],
  'bench:detect': [script('scripts/bench/detect/main.ts')],
  'bench:local': [script('packages/local/bench/main.ts')],
  'bench:growth': [script('scripts/lab/growth/main.ts')],
  'bench:kit': [script('scripts/lab/kit/main.ts')],
  'bench:spans': [script('scripts/bench/spans.ts')],
  'bench:types': [script('scripts/lab/types/main.ts')],
  format: [[bin('biome'), ['check', '--write', '.']]],
  identifiers: [script('scripts/identifiers.ts')],
  'lab:test': [[jest[0], [...jest[1], '--config', 'scripts/lab/jest.config.mjs']]],
  'local:native': [script('packages/local/judge/main.ts')],
  'local:peers': [script('packages/local/judge/peers.ts')],
  'mcp:conformance': [script('packages/mcp/judge/conformance.mjs')],
  'mcp:hosts': [script('packages/mcp/judge/hosts/main.ts'), script('scripts/docs/main.ts')],
  mutants: [script('scripts/mutants/main.ts')],
  newcomer: [...build, script('scripts/lab/newcomer/main.ts')],
  pack: [...build, script('scripts/release/pack.ts')],
  release: [script('scripts/release/main.ts')],
  'release:plan': [...build, script('scripts/release/version.ts', '--plan')],
  'release:version': [...build, script('scripts/release/version.ts'), script('scripts/docs/main.ts')],
  size: [script('scripts/bench/size/main.ts')],
  test: [jest],
  // On a build server no user stops the run: it starts everything, checks that the console responds, and exits.
  start: [
    script(
      'packages/cli/src/internal/main.ts',
      'dev',
      'examples/notes/dev/lambda.ts',
      ...(process.env.CI ? ['--check'] : []),
    ),
  ],
  api: [script('scripts/api/main.ts')],
  words: [script('scripts/words.ts')],
  changed: [[jest[0], [...jest[1], '--onlyChanged']]],
  'test:create': [...build, script('scripts/release/create.ts')],
  'test:matrix': [script('scripts/matrix.ts')],
  'test:runtime': [script('scripts/runtime.ts')],
};

const [name, ...args] = process.argv.slice(2);
const steps = Object.hasOwn(tasks, name ?? '') ? tasks[name] : undefined;
if (!steps) {
  process.stderr.write(`usage: node scripts/run.mjs <${Object.keys(tasks).join(' | ')}> [arguments]\n`);
  process.exit(2);
}

ensureSetup();
if (steps.includes(pictures)) process.env.SALLYPORT_PICTURES = '1';
for (const [index, [command, commandArgs]] of steps.entries()) {
  const last = index === steps.length - 1;
  const { status } = spawnSync(command, [...commandArgs, ...(last ? args : [])], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
