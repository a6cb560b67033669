// `node scripts/pnpm.mjs <arguments>`: pnpm at the version, and with the bytes, that `scripts/pnpm/package-lock.json` names.
// Runs on a bare Node 20 with npm; imports nothing installed.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const home = join(root, 'scripts', 'pnpm');

// Not `npm ci`: it insists on a lock entry for every platform's binary, and a registry may carry only some of them. With the
// lock file in place npm checks the hashes it has. pnpm's install script only copies the binary over its launcher.
const INSTALL = [
  'install',
  '--prefix',
  home,
  '--no-save',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
];

/** The locked binary of this platform; `undefined` when it is not installed, or when it is of another version. */
function binary(version) {
  const from = createRequire(join(home, 'node_modules', 'pnpm', 'package.json'));
  const suffixes = process.platform === 'linux' ? ['', '-musl'] : [''];
  for (const suffix of suffixes) {
    try {
      const name = `@pnpm/exe.${process.platform}-${process.arch}${suffix}`;
      const manifest = from.resolve(`${name}/package.json`);
      if (from(manifest).version === version)
        return join(dirname(manifest), process.platform === 'win32' ? 'pnpm.exe' : 'pnpm');
    } catch {
      // Not installed: try the next candidate.
    }
  }
  return undefined;
}

/**
 * Runs pnpm in the workspace's root; installs it first if it is missing. Exits if that fails, for example with a wrong hash.
 *
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} [options]
 */
export function pnpm(args, options = {}) {
  const version = createRequire(import.meta.url)('./pnpm/package.json').dependencies.pnpm;
  if (!binary(version)) {
    const { status } = spawnSync('npm', INSTALL, { stdio: ['ignore', 2, 2] });
    if (status !== 0 || !binary(version)) {
      process.stderr.write(
        `pnpm ${version} could not be installed for ${process.platform} ${process.arch}: the registry has no such package, or its hash is not the one in scripts/pnpm/package-lock.json.\n`,
      );
      process.exit(status || 1);
    }
  }
  return spawnSync(binary(version), args, { cwd: root, stdio: 'inherit', ...options });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit(pnpm(process.argv.slice(2)).status ?? 1);
