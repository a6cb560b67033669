/** The output of `bundleFunction`, and its behaviour: each bundle runs in a separate process. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, AssetStaging, type Stack } from 'aws-cdk-lib/core';
import { bundleFunction, ServiceFunction } from '../src/index.js';
import { newFolder, newProject } from './support/folders.js';
import { newApp, newStack, propertiesOf, templateOf } from './support/synth.js';

/** The folder of each asset of an assembly. */
function assetsOf(app: App): readonly string[] {
  const { directory } = app.synth();
  return readdirSync(directory)
    .filter((name) => name.startsWith('asset.'))
    .map((name) => join(directory, name));
}

// The CDK keeps bundles within a process.
beforeEach(() => AssetStaging.clearAssetHashCache());

function bundle(entry: string, stack: Stack = newStack()): string {
  new ServiceFunction(stack, 'Api', { entry });
  return assetsOf(stack.node.root as App)[0] ?? '';
}

/** The response of a handler, or the stack of its error, as the Lambda runtime would run it. */
function answerOf(folder: string): string {
  const program = `const { handler } = await import(${JSON.stringify(join(folder, 'index.mjs'))});
    console.log(await handler().catch((error) => error.stack));`;
  const args = ['--enable-source-maps', '--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: {} });
  expect(stderr).toBe('');
  return stdout.trim();
}

const SERVICE = {
  'lambda.ts': `
import { join } from 'node:path';
import { prefix } from './shared';
const loaded = await Promise.resolve('entry');
export const handler = async (): Promise<string> => {
  const { run } = await import('./lazy');
  return [join('a', 'b'), prefix, loaded, run()].join(' ');
};
`,
  'shared.ts': "export const prefix = 'shared';\n",
  // A CommonJS package calls require, in a file that is not the entry.
  'lazy.ts':
    "import { parse } from 'old';\nimport { prefix } from './shared';\nconst late = await Promise.resolve('lazy');\nexport const run = () => [prefix, late, parse()].join(' ');\n",
  'broken.ts': "export const handler = async () => (await import('./fails')).fail();\n",
  'fails.ts': "\n\nexport const fail = (): never => {\n  throw new Error('on line 4');\n};\n",
  'node_modules/old/package.json': '{ "name": "old", "main": "index.js" }',
  'node_modules/old/index.js': "const path = require('node:path');\nexports.parse = () => path.basename('/x/old');\n",
};

describe('bundles', () => {
  const folder = newProject(SERVICE);
  const entry = join(folder, 'lambda.ts');

  it('have lazily loaded code in separate files, each with a source map', () => {
    const asset = bundle(entry);
    const names = readdirSync(asset).map((name) => name.replace(/-[A-Z0-9]{8}\./, '-HASH.'));
    expect([...new Set(names)].sort()).toEqual([
      'chunk-HASH.mjs',
      'chunk-HASH.mjs.map',
      'index.mjs',
      'index.mjs.map',
      'lazy-HASH.mjs',
      'lazy-HASH.mjs.map',
    ]);
    for (const name of readdirSync(asset).filter((one) => one.endsWith('.mjs'))) {
      expect(readFileSync(join(asset, name), 'utf8').trim().split('\n').at(-1)).toBe(
        `//# sourceMappingURL=${name}.map`,
      );
    }
    expect(readFileSync(join(asset, 'index.mjs'), 'utf8')).not.toContain('/x/old');
    expect(answerOf(asset)).toBe('a/b shared entry shared lazy old');
  });

  it('are equal for equal input, and need no package manager', () => {
    const path = process.env.PATH;
    process.env.PATH = '';
    try {
      const first = bundle(entry);
      AssetStaging.clearAssetHashCache();
      const second = bundle(entry);
      expect(readdirSync(first)).toEqual(readdirSync(second));
      expect(first.split('/').pop()).toBe(second.split('/').pop());
    } finally {
      process.env.PATH = path;
    }
  });

  it('of two functions from one folder are two, and their errors name the lines of the sources', () => {
    const stack = newStack();
    new ServiceFunction(stack, 'Api', { entry });
    new ServiceFunction(stack, 'Broken', { entry: join(folder, 'broken.ts') });
    const answers = assetsOf(stack.node.root as App).map(answerOf);
    expect(answers.find((answer) => answer.startsWith('a/b'))).toBe('a/b shared entry shared lazy old');
    expect(answers.find((answer) => answer.startsWith('Error'))).toMatch(/^Error: on line 4\n.*fails\.ts:4:9/s);
  });

  it('contain no files from an older build in the same folder', () => {
    const project = newProject(SERVICE);
    const outdir = newFolder();
    const build = () => {
      const app = newApp({ outdir });
      const stack = newStack({}, app);
      new ServiceFunction(stack, 'Api', { entry: join(project, 'lambda.ts') });
      const { directory } = app.synth();
      const [hash] = Object.keys(
        (JSON.parse(readFileSync(join(directory, 'Test.assets.json'), 'utf8')) as { files: object }).files,
      );
      return join(directory, `asset.${hash}`);
    };
    const before = readdirSync(build());
    writeFileSync(join(project, 'lazy.ts'), "export const run = () => 'changed';\n");
    AssetStaging.clearAssetHashCache();
    const after = build();
    expect(answerOf(after)).toBe('a/b shared entry changed');
    const lazy = (names: readonly string[]) => names.filter((name) => /^lazy-\w+\.mjs$/.test(name));
    expect(lazy(readdirSync(after))).toHaveLength(1);
    expect(lazy(readdirSync(after))).not.toEqual(lazy(before));
  });

  it('are not made for a stack that is not selected', () => {
    const stack = newStack({}, newApp({ context: { 'aws:cdk:bundling-stacks': [] } }));
    const { fn } = new ServiceFunction(stack, 'Api', { entry: 'no-such-file.ts' });
    expect(propertiesOf(templateOf(stack), 'AWS::Lambda::Function')[0]?.Code).toHaveProperty('ZipFile');
    expect(fn).toBeDefined();
  });

  it('name the file and the line that does not compile', () => {
    const wrong = join(newProject({ 'lambda.ts': 'export const handler = ;\n' }), 'lambda.ts');
    expect(() => new ServiceFunction(newStack(), 'T', { entry: wrong })).toThrow(
      expect.failure('constructs.bundling_failed', wrong, 'Unexpected ";"', 'lambda.ts:1)'),
    );
  });
});

describe('bundles that code splitting would change', () => {
  const shared = "export const table = process.env.TABLE ?? 'unset';\n";
  const lazy = "import { table } from './shared';\nexport const run = () => table;\n";
  const answer = "export const handler = async () => (await import('./lazy')).run();\n";

  it.each<[string, Readonly<Record<string, string>>, string, RegExp]>([
    [
      'a module that is imported for what it does, before others',
      {
        'lambda.ts': `import './env';\nimport { table } from './shared';\nvoid table;\n${answer}`,
        'env.ts': "process.env.TABLE = 'set first';\n",
        'shared.ts': shared,
        'lazy.ts': lazy,
      },
      'set first',
      /with code splitting \S*env\.ts, which \S*lambda\.ts imports for what it does, would run after \S*shared\.ts\./,
    ],
    [
      'a CommonJS package that is imported for what it does',
      {
        'lambda.ts': `import 'env';\nimport { table } from './shared';\nvoid table;\n${answer}`,
        'node_modules/env/index.js': "exports.done = process.env.TABLE = 'set first';\n",
        'shared.ts': shared,
        'lazy.ts': lazy,
      },
      'set first',
      /env\/index\.js, which \S*lambda\.ts imports for what it does, would run after \S*shared\.ts\./,
    ],
    [
      'a CommonJS package that loads with its first use',
      {
        'lambda.ts': "export const handler = async () => (await import('old')).parse();\n",
        'node_modules/old/index.js': "exports.parse = () => 'by name';\n",
      },
      'by name',
      /with code splitting import\(\) of \S*old\/index\.js, which is CommonJS, would lose its named exports\./,
    ],
  ])('are one file: %s', (_name, files, expected, warning) => {
    const stack = newStack();
    const asset = bundle(join(newProject(files), 'lambda.ts'), stack);
    expect(readdirSync(asset).sort()).toEqual(['index.mjs', 'index.mjs.map']);
    expect(answerOf(asset)).toBe(expected);
    expect(JSON.stringify(stack.node.findChild('Api').node.metadata)).toMatch(warning);
  });

  it('are one file without a warning if the stack sets it', () => {
    const stack = newStack();
    const code = bundleFunction(stack, { entry: join(newProject(SERVICE), 'lambda.ts'), splitting: false });
    new ServiceFunction(stack, 'Api', { code });
    const [asset = ''] = assetsOf(stack.node.root as App);
    expect(readdirSync(asset).sort()).toEqual(['index.mjs', 'index.mjs.map']);
    expect(answerOf(asset)).toBe('a/b shared entry shared lazy old');
    expect(JSON.stringify(stack.node.metadata)).not.toContain('Sallyport::NotSplit');
  });
});
