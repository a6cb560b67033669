/** `sallyport build`, as the command line calls it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILD_COMMAND } from '../src/command.js';
import { FUNCTIONS, MAJOR, newFolder, newProject, start } from './support/bundles.js';

async function sallyport(cwd: string, ...args: readonly string[]) {
  const written = { out: '', err: '' };
  const code = await BUILD_COMMAND.run(args, {
    cwd,
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
  });
  return { code, ...written };
}

const SECURE = join(FUNCTIONS, 'secure.ts');
const COMMON = ['--condition', '@sallyport/source', '--target', `node${MAJOR}`];
const cachesOf = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.cache'));
const FACTS = {
  version: 1,
  container: 'secure',
  routes: [
    { surface: 'http', method: 'GET', path: '/health', posture: 'public' },
    { surface: 'http', method: 'GET', path: '/notes/{id}', posture: 'authenticated', scopes: ['notes:read'] },
  ],
  triggers: [{ kind: 'queue', name: 'orders' }],
};

it('writes a bundle with a cache for each memory, the inventory and the OpenAPI document', async () => {
  const cwd = newFolder();
  const { code, out, err } = await sallyport(
    cwd,
    SECURE,
    ...COMMON,
    '--start-cache',
    '--memory',
    '256',
    '--memory=512',
    '--outdir',
    'out',
  );
  expect({ code, err }).toEqual({
    code: 0,
    err: "warning: the cache is for this machine's Node: build with --in-image for a deployment\n",
  });
  expect(out).toMatch(
    /^out\/index\.js\nout\/inventory\.json\nout\/openapi\.json\nstart cache for Node v\S+ \w+ \(--max-semi-space-size=12 --max-old-space-size=231\), \d+ KB\nstart cache .*--max-old-space-size=461.* KB\n$/,
  );
  const folder = join(cwd, 'out');
  expect(cachesOf(folder)).toHaveLength(2);
  expect(JSON.parse(readFileSync(join(folder, 'inventory.json'), 'utf8'))).toMatchObject(FACTS);
  expect(JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8'))).toMatchObject({
    openapi: '3.1.0',
    paths: { '/notes/{id}': {} },
  });
  expect(await sallyport(cwd, '--verify', '--outdir', 'out')).toEqual({
    code: 0,
    out: 'the bundle is unchanged since its build\n',
    err: '',
  });
  const [name = ''] = cachesOf(folder);
  const bytes = readFileSync(join(folder, name));
  bytes[5_000] = (bytes[5_000] ?? 0) ^ 1;
  writeFileSync(join(folder, name), bytes);
  expect(await sallyport(cwd, '--verify', '--outdir', 'out')).toEqual({
    code: 1,
    out: '',
    err: `${name} was changed after the build\n`,
  });
});

it('writes the same facts without a cache, for CommonJS and for ES modules, and removes what an earlier build wrote', async () => {
  const cwd = newProject({
    'lambda.ts': `export const late = await 1;\nexport { handler } from ${JSON.stringify(SECURE)};\n`,
  });
  const folder = join(cwd, 'dist');
  await sallyport(cwd, SECURE, ...COMMON, '--start-cache');
  expect(cachesOf(folder)).toHaveLength(1);
  for (const [entry, file] of [
    [SECURE, 'index.js'],
    ['lambda.ts', 'index.mjs'],
  ] as const) {
    expect((await sallyport(cwd, entry, ...COMMON)).out).toBe(`dist/${file}\ndist/inventory.json\ndist/openapi.json\n`);
    expect(JSON.parse(readFileSync(join(folder, 'inventory.json'), 'utf8'))).toMatchObject(FACTS);
    expect(cachesOf(folder)).toEqual([]);
  }
  expect(existsSync(join(folder, 'index.js'))).toBe(false);
  expect(existsSync(join(folder, 'package.json'))).toBe(false);
});

it('bundles a handler of no container, and an application that does not load here, without an inventory', async () => {
  const cwd = newProject({
    'src/lambda.ts': 'export const handler = async () => 1;\n',
    'throws.ts': "throw new Error('TABLE is not set');\n",
  });
  expect(await sallyport(cwd, '--json')).toMatchObject({
    code: 0,
    out: expect.stringContaining('"files":["dist/index.js"]'),
  });
  expect(start(join(cwd, 'dist'), [{}]).answers).toEqual([1]);
  expect(await sallyport(cwd, 'throws.ts')).toEqual({
    code: 0,
    out: 'dist/index.js\n',
    err: 'warning: no inventory.json: the application does not load: Error: TABLE is not set\n',
  });
});

it.each<[readonly string[], number, RegExp]>([
  [['--start-cashe'], 2, /^sallyport: Unknown option '--start-cashe'/],
  [['a.ts', 'b.ts'], 2, /^sallyport: name one entry file \(got a\.ts b\.ts\)\n$/],
  [['--memory', 'much'], 2, /^sallyport: --memory must be a number \(got "much"\)\n$/],
  [['--memory', '64'], 2, /^sallyport: framework: option "memory\[0\]" must be a whole number from 128 to 10,240\n$/],
  [['--architecture', 'mips'], 2, /^sallyport: framework: option "architecture" must be "x64" or "arm64"\n$/],
  [['--env', 'TABLE'], 2, /^sallyport: --env must be NAME=value\n$/],
  [['--target', 'chrome1'], 2, /^sallyport: framework: option "target" must be a target of esbuild/],
  [['missing.ts'], 3, /^sallyport: framework: bundleFunction: \S+missing\.ts cannot be bundled: Could not resolve/],
  [['--verify'], 1, /^start\.json is missing or not readable/],
])('%j ends with exit code %d', async (args, code, message) => {
  const { err, ...ended } = await sallyport(newFolder(), ...args);
  expect(ended).toEqual({ code, out: '' });
  expect(err).toMatch(message);
});
