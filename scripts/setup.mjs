// Installs what the workspace needs, once for each lock file. Runs on a bare Node 20 with npm; imports nothing installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pnpm } from './pnpm.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules', '.sallyport-setup');

function fingerprint() {
  const hash = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'scripts/pnpm/package-lock.json', 'scripts/setup.mjs'])
    hash.update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

/** Some tools require a newer Node than the packages do. It is a package of the lock file if npm carries it. */
function ensureNode() {
  if (existsSync(join(root, 'node_modules', '.bin', 'node')) || Number(process.versions.node.split('.')[0]) >= 22)
    return;
  process.stderr.write(
    `npm carries no Node 22 for ${process.platform} ${process.arch}, so tasks run on Node ${process.versions.node}. Some gates need Node 22 or later: put it on the PATH.\n`,
  );
}

const runs = (command, args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** The Debian packages that tests start. They are installed if possible, else the script prints the install command. */
const DEBIAN_NEEDS = [
  {
    packages: ['default-jre-headless'],
    variable: 'DYNAMODB_ENDPOINT',
    isThere: () => runs('java', ['-version']),
    otherwise: 'Java is missing: for the DynamoDB tests install a JRE (17 or later) or set DYNAMODB_ENDPOINT.',
  },
  {
    packages: ['radosgw', 'ceph-mon', 'ceph-osd'],
    variable: 'S3_ENDPOINT',
    isThere: () => ['radosgw', 'ceph-mon', 'ceph-osd'].every((program) => runs(program, ['--version'])),
    otherwise: 'radosgw is missing: for the S3 tests install radosgw, ceph-mon and ceph-osd, or set S3_ENDPOINT.',
  },
  {
    packages: ['chromium'],
    variable: 'CHROMIUM',
    isThere: () => existsSync('/usr/bin/chromium'),
    otherwise: 'Chromium is missing: for the tests of pages install chromium, or name the program in CHROMIUM.',
  },
];

function ensureDebianPackages() {
  const missing = DEBIAN_NEEDS.filter(({ variable, isThere }) => !process.env[variable] && !isThere());
  if (missing.length === 0) return;
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    const names = missing.flatMap(({ packages }) => packages);
    process.stderr.write(`Installing ${names.join(', ')} for the tests\n`);
    const options = { stdio: ['ignore', 'ignore', 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
    spawnSync('apt-get', ['update', '-qq'], options);
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], options);
  }
  for (const { isThere, otherwise } of missing) if (!isThere()) process.stderr.write(`${otherwise}\n`);
}

/** Does nothing, and needs no network, if this script has already finished for this lock file. */
export function ensureSetup() {
  const wanted = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  process.stderr.write('Setting up the workspace (once for each lock file)\n');
  const { status } = pnpm(['install', '--frozen-lockfile'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    process.stderr.write('Set-up failed: pnpm install ended with an error (see above).\n');
    process.exit(status ?? 1);
  }
  ensureNode();
  ensureDebianPackages();
  writeFileSync(stamp, wanted);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ensureSetup();
