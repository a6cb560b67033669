// `npm run contract:copies`: the contract with every second package from another copy, then with the other half from it.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const OTHER_VERSION = '9.9.9';
const names = readdirSync(join(ROOT, 'packages')).sort();

/**
 * A workspace whose runtime has some of the packages from this workspace and the others from its copies. The packages of each
 * workspace use the packages next to them: there are two copies of each package that both halves need.
 */
function makeWorkspace(folder: string, isOther: (name: string) => boolean): void {
  const notNeeded = new Set(['test', 'dist', 'bench', 'judge', 'templates', 'console']);
  for (const name of names) {
    const from = join(ROOT, 'packages', name);
    const to = join(folder, 'packages', name);
    cpSync(from, to, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !(notNeeded.has(basename(path)) && join(path, '..') === from),
    });
    const manifest = join(to, 'package.json');
    const text = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, text.replace(/"version": "[^"]+"/, `"version": "${OTHER_VERSION}"`));
    const version = join(to, 'src/internal/version.ts');
    if (existsSync(version)) writeFileSync(version, `export const VERSION = '${OTHER_VERSION}';\n`);
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  symlinkSync(join(ROOT, 'contract-fixtures'), join(folder, 'contract-fixtures'));
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  const tool = join(folder, 'tools/contract-runtime');
  cpSync(join(ROOT, 'tools/contract-runtime'), tool, { recursive: true, verbatimSymlinks: true });
  const links = join(tool, 'node_modules/@sallyport');
  rmSync(links, { recursive: true });
  mkdirSync(links);
  for (const name of names) {
    symlinkSync(join(isOther(name) ? folder : ROOT, 'packages', name), join(links, name));
  }
}

function runContract(isOther: (name: string) => boolean): number {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-copies-'));
  try {
    makeWorkspace(folder, isOther);
    const main = join(folder, 'tools/contract-runtime/src/copies.ts');
    const args = ['--conditions=@sallyport/source', '--import', 'tsx', main];
    return spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Any two packages are in different halves of one of the divisions: by each bit of their place in the list. */
const divisions = process.argv.includes('--pairs') ? [...names.length.toString(2)].map((_, bit) => bit) : [0];
for (const [bit, half] of divisions.flatMap((bit) => [[bit, 0] as const, [bit, 1] as const])) {
  const isOther = (name: string) => ((names.indexOf(name) >> bit) & 1) === half;
  process.stdout.write(`from another copy: ${names.filter(isOther).join(', ')}\n`);
  if (runContract(isOther) !== 0) process.exitCode = 1;
}
