import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromJson, membersOf } from '@sallyport/core/internal';
import type { Around } from '../../internal/command.js';
import { cliError, invalidUsage } from '../../internal/errors.js';
import type { PackageFiles, PublishedFacts } from './package-files.js';

/** Milliseconds for one call of npm. */
const NPM_MS = 120_000;
/** npm's tag of versions without a stage. */
const LATEST = 'latest';

/**
 * Publishes the package with npm, with the registry and the credentials of the project's `.npmrc`. A version that is already there with the
 * same contract is not published again; it only gets the tag of the stage. Resolves to true if something was published.
 *
 * @throws FrameworkError `cli.usage` if the version is there with another contract, `cli.publish_failed` if npm fails
 */
export async function publishToNpm(files: PackageFiles, facts: PublishedFacts, around: Around): Promise<boolean> {
  const { name, version, digest, stage: tag = LATEST } = facts;
  const at = `${name}@${version}`;
  const viewed = await npm(['view', at, 'sallyport', 'dist-tags', '--json'], around, ['E404']);
  const { sallyport, 'dist-tags': tags } = membersOf(viewed);
  if (sallyport === undefined) {
    await publishFolder(files, tag, around);
    return true;
  }
  if (membersOf(sallyport).digest !== digest)
    throw invalidUsage(`${at} is published with another contract: raise the version in package.json`);
  if (membersOf(tags)[tag] !== version) await npm(['dist-tag', 'add', at, tag], around);
  return false;
}

async function publishFolder(files: PackageFiles, tag: string, around: Around): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-publish-'));
  try {
    for (const [file, text] of files) writeFileSync(join(folder, file), text);
    await npm(['publish', folder, '--tag', tag, '--json'], around);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs npm and resolves to the JSON that it prints; `undefined` for an error that is expected. */
async function npm(args: readonly string[], around: Around, expected: readonly string[] = []): Promise<unknown> {
  const options = { cwd: around.cwd, env: around.environment, timeout: NPM_MS, signal: around.signal };
  const run = new Promise<{ readonly failure: Error | null; readonly printed: string }>((resolve) => {
    // On Windows npm is a script of the shell; every argument is checked before.
    execFile('npm', args, { ...options, shell: process.platform === 'win32' }, (failure, stdout, stderr) =>
      resolve({ failure, printed: failure ? `${stdout}\n${stderr}` : stdout }),
    );
  });
  const { failure, printed } = await run;
  if (!failure) return fromJson(printed);
  // Only the code: the rest of the text can name addresses with credentials.
  const code = /\bE[A-Z0-9]{3,}\b/.exec(printed)?.[0] ?? failure.name;
  if (expected.includes(code)) return undefined;
  throw cliError('cli.publish_failed', `npm ${args[0]} failed with ${code}: run it again with your npm settings`);
}
