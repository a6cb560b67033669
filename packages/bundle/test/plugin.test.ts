/** The plugin in builds as other tools make them, and the functions in fresh processes. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { startCachePlugin, verifyBundle } from '../src/index.js';
import { MAJOR, newFolder, newProject, start } from './support/bundles.js';

const FILES = {
  'src/one.ts': "export const handler = async () => (await import('./lazy')).name;\n",
  'src/two.ts': "import { sep } from 'node:path';\nexport const handler = async () => sep;\n",
  'src/lazy.ts': "export const name = 'lazy';\n",
  'src/meta.ts': 'export const handler = async () => import.meta.url;\n',
  'src/throws.ts': "throw new Error('no');\n",
};

async function run(entries: readonly string[], options: BuildOptions = {}) {
  const project = newProject(FILES);
  const outdir = newFolder();
  const { warnings } = await build({
    entryPoints: entries.map((entry) => join(project, 'src', entry)),
    outdir,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: `node${MAJOR}`,
    sourcemap: true,
    logLevel: 'silent',
    plugins: [startCachePlugin()],
    ...options,
  });
  return { outdir, warnings: warnings.map(({ text }) => text) };
}

it('each entry loads its folder, with a cache that fits', async () => {
  const { outdir, warnings } = await run(['one.ts', 'two.ts']);
  expect(warnings).toEqual([]);
  expect(readdirSync(outdir).sort()).toEqual(['one.js', 'one.start', 'two.js', 'two.start']);
  expect(readFileSync(join(outdir, 'one.js'), 'utf8')).toBe("module.exports = require('./one.start/index.js');\n");
  for (const [name, answer] of [
    ['one', 'lazy'],
    ['two', '/'],
  ] as const) {
    const folder = join(outdir, `${name}.start`);
    expect(start(folder, [{}])).toMatchObject({ answers: [answer], lines: [] });
    expect(verifyBundle(folder)).toEqual([]);
    expect(readFileSync(join(folder, 'app.js'), 'utf8')).toMatch(/sourceMappingURL=app\.js\.map\s*\}\)$/);
    expect(existsSync(join(folder, 'app.js.map'))).toBe(true);
  }
});

it.each<[string, readonly string[], BuildOptions, RegExp]>([
  [
    'ES modules',
    ['two.ts'],
    { format: 'esm' },
    /^no start cache: the build needs bundle: true, platform: "node" and format: "cjs"$/,
  ],
  ['files in memory', ['two.ts'], { write: false }, /^no start cache: the build needs write: true$/],
  [
    'no version of Node',
    ['two.ts'],
    { target: 'es2022' },
    /^no start cache: the build needs a target such as "node22"$/,
  ],
  ['import.meta', ['meta.ts'], {}, /^no start cache: "import\.meta" is not available/],
  [
    'an application that throws',
    ['throws.ts'],
    {},
    /^no start cache: throws\.js: the application does not load in the maker: Error: no$/,
  ],
])('the files are as without the plugin, with a warning: %s', async (_name, entries, options, warning) => {
  const { outdir, warnings } = await run(entries, options);
  const plain = await run(entries, { ...options, plugins: [] });
  expect(warnings.at(-1)).toMatch(warning);
  expect(readdirSync(outdir)).toEqual(readdirSync(plain.outdir));
});

it('a build with errors still reports them', async () => {
  await expect(run(['missing.ts'])).rejects.toThrow(/Could not resolve/);
});
