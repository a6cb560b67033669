import { existsSync } from 'node:fs';
import type { Failed } from '../src/internal/runtime/invoker.js';
import { answerOf, createProject, invoke, start } from './support/run.js';

const DATA = { 'src/data.txt': 'beside the source' };
const READ = "import { readFileSync } from 'node:fs';\n";

describe('a service reads the files next to its sources', () => {
  test.each([
    [
      'a CommonJS service with __dirname',
      'src/lambda.js',
      {
        'package.json': '{ "name": "old" }',
        'src/lambda.js': `const { readFileSync } = require('fs');
exports.handler = async () => readFileSync(require('path').join(__dirname, 'data.txt'), 'utf8') + __filename.slice(-13);`,
      },
      'beside the sourcesrc/lambda.js',
    ],
    [
      'a module with import.meta.url',
      'src/lambda.mjs',
      {
        'src/lambda.mjs': `${READ}export const handler = async () => readFileSync(new URL('./data.txt', import.meta.url), 'utf8');`,
      },
      'beside the source',
    ],
    [
      'a module that it imports, and one that declares __dirname itself',
      'src/lambda.ts',
      {
        'src/lambda.ts':
          "import { read } from './lib/read.js';\nimport { here } from './here.js';\nexport const handler = async () => [read(), here];",
        'src/here.ts':
          "import { fileURLToPath } from 'node:url';\nimport { dirname } from 'node:path';\nconst __dirname = dirname(fileURLToPath(import.meta.url));\nexport const here: string = __dirname.slice(-4);",
        'src/lib/read.ts': `${READ}export const read = (): string => readFileSync(import.meta.dirname + '/../data.txt', 'utf8');`,
      },
      ['beside the source', '/src'],
    ],
    [
      'a dependency',
      'src/lambda.mjs',
      {
        'src/lambda.mjs': "export { handler } from 'reader';",
        'node_modules/reader/package.json': '{ "name": "reader", "type": "module", "exports": "./index.js" }',
        'node_modules/reader/index.js': `${READ}export const handler = async () => readFileSync(new URL('./data.txt', import.meta.url), 'utf8');`,
        'node_modules/reader/data.txt': 'beside the dependency',
      },
      'beside the dependency',
    ],
  ])('%s', async (_name, entry, files, expected) => {
    const project = createProject({ ...DATA, ...(files as Record<string, string>) });
    const host = await start(project, { entry });
    expect(await answerOf(host, {})).toEqual(expected);
    await host.stop();
    project.remove();
  });
});

test.each([[false], [true]])('a frame of a stack names a file that exists (bundle: %s)', async (bundle) => {
  const project = createProject({
    'src/lambda.ts':
      "import { fail } from './deep/fail.js';\nexport const handler = async (): Promise<void> => fail(1);\n",
    'src/deep/fail.ts':
      "interface Unused { readonly a: string }\n\nexport function fail(_code: number): never {\n  throw new Error('broken');\n}\n",
  });
  const host = await start(project, { entry: 'src/lambda.ts', bundle });
  const { error } = (await invoke(host, {})) as Failed;
  const frames = (error.trace ?? []).flatMap((line) => {
    const found = /\(?(\/[^()]+\/src\/[^():]+):(\d+):\d+\)?$/.exec(line.replace('file://', ''));
    return found ? [[(found[1] as string).slice(project.folder.length), found[2], existsSync(found[1] as string)]] : [];
  });
  expect(frames.slice(0, 2)).toEqual([
    ['/src/deep/fail.ts', '4', true],
    ['/src/lambda.ts', '2', true],
  ]);
  await host.stop();
  project.remove();
});
