import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFunction } from '@sallyport/constructs';
import { type Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { App, Stack } from 'aws-cdk-lib/core';
import { createProject } from '../src/internal/project.js';

/** A function with code that is loaded on first use, and a CommonJS package that calls `require`. */
const SOURCES = {
  'src/lambda.ts': `import { nameOf } from 'old';
export const handler = async () => ({ name: nameOf(), late: (await import('./late.js')).text });`,
  'src/late.ts': "export const text: string = 'loaded with its first use';",
  'node_modules/old/package.json': '{ "name": "old", "version": "1.0.0", "main": "index.js" }',
  'node_modules/old/index.js': "exports.nameOf = () => require('node:path').basename('/a/old');",
};
const MODULES = fileURLToPath(new URL('../node_modules/', import.meta.url));

let place = '';
let project = '';
let files: readonly string[] = [];

beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'sallyport-create-'));
  project = join(place, 'project');
  const names = { app: 'mine', package: 'mine', class: 'Mine' };
  const made = createProject({ names, template: 'api', infra: 'none', packageManager: 'npm' });
  for (const [path, text] of [...made, ...Object.entries(SOURCES)]) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  for (const name of ['esbuild', 'tsx']) symlinkSync(join(MODULES, name), join(project, 'node_modules', name));
  mkdirSync(join(project, 'dist'));
  writeFileSync(join(project, 'dist', 'of-a-build-before.mjs'), '');
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/build.ts'], {
    cwd: project,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  files = readdirSync(join(project, 'dist')).sort();
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** The modules of a folder. The digests in names include the paths in source maps, which depend on the folder. */
const modulesOf = (folder: string) => {
  const plain = (text: string) => text.replace(/(?<=\b(?:chunk|late)-)\w{8}/g, 'digest');
  const modules = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
  return modules.map((name) => [plain(name), plain(readFileSync(join(folder, name), 'utf8'))]).sort();
};

describe('the bundle of a project', () => {
  it('is index.mjs, lazy parts and shared parts, each with its source map, without files of an earlier build', () => {
    expect(files).toEqual([
      expect.stringMatching(/^chunk-\w{8}\.mjs$/),
      expect.stringMatching(/^chunk-\w{8}\.mjs\.map$/),
      'index.mjs',
      'index.mjs.map',
      expect.stringMatching(/^late-\w{8}\.mjs$/),
      expect.stringMatching(/^late-\w{8}\.mjs\.map$/),
    ]);
    expect(readFileSync(join(project, 'dist', 'index.mjs'), 'utf8')).not.toContain('loaded with its first use');
  });

  it('answers as index.handler in a folder without other files', () => {
    const alone = join(place, 'alone');
    cpSync(join(project, 'dist'), alone, { recursive: true });
    const program = "import { handler } from './index.mjs'; console.log(JSON.stringify(await handler()));";
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: alone,
      env: {},
      encoding: 'utf8',
    });
    expect(stdout).toBe('{"name":"old","late":"loaded with its first use"}\n');
  });

  it('has the code that bundleFunction of @sallyport/constructs makes', () => {
    process.env.CDK_VALIDATION = 'false';
    const app = new App({ outdir: join(place, 'cdk.out'), analyticsReporting: false });
    const stack = new Stack(app, 'Mine');
    const code = bundleFunction(stack, { entry: join(project, 'src', 'lambda.ts'), target: 'node24' });
    new LambdaFunction(stack, 'Fn', { code: code as Code, handler: 'index.handler', runtime: Runtime.NODEJS_24_X });
    const { directory } = app.synth();
    const [asset = ''] = readdirSync(directory).filter((name) => name.startsWith('asset.'));
    expect(modulesOf(join(directory, asset))).toEqual(modulesOf(join(project, 'dist')));
  });
});
