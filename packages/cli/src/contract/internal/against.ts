import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseContractFile, type ServiceContract } from '@sallyport/contract/service';
import { fromJson, membersOf } from '@sallyport/core/internal';
import { awsAccess } from '../../internal/aws-access.js';
import type { Around } from '../../internal/command.js';
import type { CommandLine } from '../../internal/command-line.js';
import { invalidUsage } from '../../internal/errors.js';
import { createStacks } from '../../internal/stacks.js';
import { isBucketUrl } from './bucket.js';
import { readIfThere } from './files.js';
import { asUsage } from './service-contract.js';
import { contractsInBucket } from './versions.js';

/** A contract that is compared with the new one. */
export interface OldContract {
  /** The file, the revision or the stack. */
  readonly place: string;
  readonly contract: ServiceContract;
}

/** The file of a contract in a project. */
const CONTRACT_FILE = 'contract/contract.json';

/**
 * The contracts that a reference names: a file, a folder with files of stages, `git:main`, `git:main:api/contract.json`, or
 * `stack:Notes-production`, or `s3://contracts/notes`. Empty for a folder and a prefix without contracts.
 *
 * @throws FrameworkError `cli.usage` for a reference that does not exist, or a contract of another version
 */
export async function contractsAt(
  reference: string,
  line: CommandLine,
  around: Around,
): Promise<readonly OldContract[]> {
  const { cwd } = around;
  const read = (place: string, text: string) => ({ place, contract: asUsage(() => parseContractFile(text, place)) });
  if (isBucketUrl(reference)) return contractsInBucket(reference, line, around);
  if (reference.startsWith('git:')) return [read(reference, fromGit(reference.slice(4), cwd))];
  if (reference.startsWith('stack:')) return [read(reference, await fromStack(reference.slice(6), line, around))];
  const path = resolve(cwd, reference);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('contract.json'),
    );
    return files.sort().map((name) => read(relative(cwd, join(path, name)), readIfThere(join(path, name)) ?? ''));
  }
  const text = readIfThere(path);
  if (text === undefined)
    throw invalidUsage(`${reference} does not exist: pass a contract file, a folder, git:<revision> or stack:<name>`);
  return [read(reference, text)];
}

/** Milliseconds for `git show`. */
const GIT_MS = 30_000;

/** The file of a revision. @throws FrameworkError `cli.usage` */
function fromGit(reference: string, cwd: string): string {
  const at = reference.indexOf(':');
  const [revision, file] = at < 0 ? [reference, CONTRACT_FILE] : [reference.slice(0, at), reference.slice(at + 1)];
  if (revision === '' || revision.startsWith('-')) throw invalidUsage(`git:${reference} names no revision: git:main`);
  try {
    // `./` makes the path relative to the working directory: https://git-scm.com/docs/gitrevisions
    const args = ['show', `${revision}:./${file}`];
    return execFileSync('git', args, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 << 20,
      timeout: GIT_MS,
    });
  } catch {
    throw invalidUsage(
      `git has no ${file} at ${revision}: fetch the revision, and commit the file of sallyport contract`,
    );
  }
}

/** The contract in the metadata of a deployed template. @throws FrameworkError `cli.usage` */
async function fromStack(stack: string, line: CommandLine, around: Around): Promise<string> {
  const stacks = await createStacks(await awsAccess(line, around));
  const { Metadata } = membersOf(fromJson(await stacks.template(stack)));
  const held = membersOf(Metadata)['sallyport:contract'];
  if (typeof held !== 'string')
    throw invalidUsage(`the stack ${stack} was deployed without its contract: call recordContract in its code`);
  try {
    return gunzipSync(Buffer.from(held, 'base64'), { maxOutputLength: 64 << 20 }).toString();
  } catch {
    throw invalidUsage(`the contract of the stack ${stack} cannot be read`);
  }
}
