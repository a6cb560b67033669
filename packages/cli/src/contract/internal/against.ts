import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { contractInTemplate, parseContractFile, readContracts, type StoredContract } from '@sallyport/contract/service';
import { awsAccess } from '../../internal/aws-access.js';
import type { Around } from '../../internal/command.js';
import type { CommandLine } from '../../internal/command-line.js';
import { invalidUsage } from '../../internal/errors.js';
import { createStacks } from '../../internal/stacks.js';
import { isBucketUrl } from './bucket.js';
import { asUsage } from './service-contract.js';
import { contractsInBucket } from './versions.js';

/** The file of a contract in a project. */
const CONTRACT_FILE = 'contract/contract.json';

/**
 * The contracts that a reference names: a file, a folder with files of stages or templates, `git:main`, `git:main:api/contract.json`, or
 * `stack:Notes-production`, or `s3://contracts/notes`. Empty for a folder and a prefix without contracts.
 *
 * @throws FrameworkError `cli.usage` for a reference that does not exist, or a contract of another version
 */
export async function contractsAt(
  reference: string,
  line: CommandLine,
  around: Around,
): Promise<readonly StoredContract[]> {
  const { cwd } = around;
  const read = (place: string, text: string) => ({ place, contract: asUsage(() => parseContractFile(text, place)) });
  if (isBucketUrl(reference)) return contractsInBucket(reference, line, around);
  if (reference.startsWith('git:')) return [read(reference, fromGit(reference.slice(4), cwd))];
  if (reference.startsWith('stack:')) {
    const text = await fromStack(reference.slice(6), line, around);
    return text === undefined ? [] : [read(reference, text)];
  }
  const path = resolve(cwd, reference);
  if (!existsSync(path))
    throw invalidUsage(
      `${reference} does not exist: pass a contract file, a folder, git:<revision>, stack:<name> or s3://<bucket>`,
    );
  return asUsage(() => readContracts(path, relative(cwd, path) || '.'));
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

/** The contract in the metadata of a deployed template; with `--otherwise` a stack without contract is a warning. @throws FrameworkError `cli.usage` */
async function fromStack(stack: string, line: CommandLine, around: Around): Promise<string | undefined> {
  const stacks = await createStacks(await awsAccess(line, around));
  const template = await stacks.template(stack);
  const text = asUsage(() => contractInTemplate(template, `the stack ${stack}`));
  if (text !== undefined) return text;
  const problem = `the stack ${stack} was deployed without its contract: deploy it with Service or recordContract of @sallyport/constructs`;
  if (!line.has('otherwise')) throw invalidUsage(problem);
  around.err(`warning: ${problem}\n`);
  return undefined;
}
