import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findArchiveFaults, type PublishedManifest } from '../archive-rules.js';
import { findMissingBuild } from '../built.js';
import { CACHE, findingsOf, ROOT, run, tool } from '../command.js';
import { mapConcurrently } from '../concurrently.js';
import type { Gate } from '../gate.js';
import { readWorkspace, type WorkspacePackage } from '../workspace.js';

const CLEAN = join(CACHE, 'packaging');

/**
 * Packs every published package as a release does, checks the archive with the rules of `archive-rules.ts` and with publint and
 * attw. These two are skipped for an archive that is identical to an archive without findings.
 */
export const packagingGate: Gate = {
  name: 'packaging',
  demands: 'what would be published is licensed, patchable, resolves and is typed for every consumer (publint, attw)',
  after: ['build'],
  async run() {
    const missing = findMissingBuild(ROOT, 'packaging');
    if (missing.length > 0) return missing;
    const archives = mkdtempSync(join(tmpdir(), 'sallyport-pack-'));
    try {
      const published = readWorkspace(ROOT, ['packages']).filter(({ manifest }) => manifest.private !== true);
      return (await mapConcurrently(published, 2, (entry) => checkPackage(entry, archives))).flat();
    } finally {
      rmSync(archives, { recursive: true, force: true });
    }
  },
};

interface PackReport {
  readonly filename: string;
}

async function checkPackage({ folder, manifest }: WorkspacePackage, archives: string): Promise<readonly string[]> {
  const pack = ['--dir', folder, 'pack', '--json', '--pack-destination', archives];
  const packed = await run(process.execPath, [join(ROOT, 'scripts', 'pnpm.mjs'), ...pack]);
  if (packed.status !== 0) return [`${manifest.name}: pnpm pack failed\n${packed.output}`];
  return checkArchive((JSON.parse(packed.stdout) as PackReport).filename);
}

/** The findings about one archive, each with the name of its package. */
export async function checkArchive(archive: string): Promise<readonly string[]> {
  const { stdout } = await run('tar', ['-xzOf', archive, 'package/package.json']);
  const manifest = JSON.parse(stdout) as PublishedManifest & { readonly name: string };
  const listed = await run('tar', ['-tzf', archive]);
  const files = listed.stdout.split('\n').map((path) => path.replace(/^package\//, ''));
  const faults = findArchiveFaults({ files, manifest });
  if (faults.length > 0) return faults.map((fault) => `${manifest.name}: ${fault}`);
  mkdirSync(CLEAN, { recursive: true });
  const clean = join(CLEAN, createHash('sha256').update(readFileSync(archive)).digest('hex'));
  if (existsSync(clean)) return [];

  const findings = [
    ...findingsOf(await tool('publint', archive, '--strict')),
    ...(hasEntries(manifest.exports) ? await checkTypes(archive) : []),
  ];
  if (findings.length === 0) writeFileSync(clean, manifest.name);
  return findings.map((finding) => `${manifest.name}: ${finding}`);
}

async function checkTypes(archive: string): Promise<readonly string[]> {
  return findingsOf(await tool('attw', archive, '--profile', 'esm-only', '--no-emoji', '--no-color', '-f', 'ascii'));
}

/** A package that is only a command has no entries. */
function hasEntries(exports: object | undefined): boolean {
  return Object.keys(exports ?? {}).some((subpath) => subpath !== './package.json');
}
