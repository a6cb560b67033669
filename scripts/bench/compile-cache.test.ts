import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CACHE_FOLDER, createCompileCache } from './compile-cache.js';

const root = mkdtempSync(join(tmpdir(), 'sallyport-compile-cache-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** True if this Node.js writes compile caches that may be moved. */
const isAble = 'enableCompileCache' in module && hasPortable();

function hasPortable(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 12) || (major === 22 && minor >= 22);
}

const HANDLER = `
import module from 'node:module';
export const handler = async () => ({ directory: module.getCompileCacheDir?.() });
`;

function bundleIn(name: string, code = HANDLER): string {
  const folder = join(root, name);
  mkdirSync(folder);
  const file = join(folder, 'index.mjs');
  writeFileSync(file, code);
  return file;
}

/** The answer of the handler in a new process with these variables. */
function answerOf(file: string, variables: Readonly<Record<string, string>> = {}): { directory?: string } {
  const program = `const { handler } = await import(${JSON.stringify(file)}); console.log(JSON.stringify(await handler()));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    env: { PATH: process.env.PATH, ...variables },
    encoding: 'utf8',
    timeout: 600_000,
  });
  return JSON.parse(stdout) as { directory?: string };
}

it('names the variables with which a bundle that was moved finds its cache', () => {
  const variables = createCompileCache({ file: bundleIn('built') }, '/var/task');
  expect(variables).toEqual(
    isAble ? { NODE_COMPILE_CACHE: `/var/task/${CACHE_FOLDER}`, NODE_COMPILE_CACHE_PORTABLE: '1' } : undefined,
  );
});

(isAble ? it : it.skip)('writes what the function reads in place, for the user who runs it', () => {
  const file = bundleIn('function');
  createCompileCache({ file, uid: 993 });
  const [own = '', lambda = ''] = readdirSync(join(root, 'function', CACHE_FOLDER)).sort(
    (a, b) => Number(a.endsWith('-993')) - Number(b.endsWith('-993')),
  );
  expect(lambda).toBe(own.replace(/\d+$/, '993'));
  renameSync(join(root, 'function'), join(root, 'task'));
  const folder = join(root, 'task', CACHE_FOLDER);
  const before = readdirSync(join(folder, own));
  const { directory } = answerOf(join(root, 'task', 'index.mjs'), {
    NODE_COMPILE_CACHE: folder,
    NODE_COMPILE_CACHE_PORTABLE: '1',
  });
  expect(directory).toBe(join(folder, own));
  expect(readdirSync(join(folder, own))).toEqual(expect.arrayContaining(before));
});

it('starts silently without a cache that it cannot use', () => {
  const file = bundleIn('other');
  // A folder cannot be created inside a file, just as on a read-only disk.
  expect(answerOf(file, { NODE_COMPILE_CACHE: join(file, 'none'), NODE_COMPILE_CACHE_PORTABLE: '1' })).toEqual({});
});

it('still has what was compiled when the module fails at its import', () => {
  const file = bundleIn('broken', "throw new Error('the variable NAME is not set');");
  expect(createCompileCache({ file }) !== undefined).toBe(isAble);
});
