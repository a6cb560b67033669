import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type Around, EXIT } from '../../internal/command.js';
import type { CommandLine } from '../../internal/command-line.js';
import { invalidUsage } from '../../internal/errors.js';
import { isBucketUrl, openBucket } from './bucket.js';
import { jsonText, readIfThere, reportUnknown } from './files.js';
import { newContract } from './new-contract.js';
import { publishToNpm } from './npm.js';
import { factsOf, packageFiles } from './package-files.js';
import { versionKey } from './versions.js';

/**
 * `sallyport contract publish`: writes the package of the contract to npm, to a bucket or to a folder. A run with an equal contract changes
 * no contents; after a failure the same command completes it.
 *
 * @throws FrameworkError `cli.usage`, `cli.publish_failed`, `cli.aws_failed`
 */
export async function publish(entries: readonly string[], line: CommandLine, around: Around): Promise<number> {
  const { cwd, out, err } = around;
  const to = placeOf(line);
  const contract = await newContract(entries, line, around);
  if (reportUnknown(contract, line.has('strict'), err) && line.has('strict')) return EXIT.failed;
  const facts = factsOf(contract, cwd, line);
  const files = packageFiles(contract, facts, cwd, line);
  if (to === 'npm') {
    const isNew = await publishToNpm(files, facts, around);
    out(`${facts.name}@${facts.version} ${isNew ? 'published' : 'was published before'}, digest ${facts.digest}\n`);
    return EXIT.ok;
  }
  const { stage } = facts;
  const below = (name: string) => (stage === undefined ? name : `${stage}/${name}`);
  const placed = new Map([...files].map(([name, text]) => [below(name), text] as const));
  if (isBucketUrl(to)) {
    if (stage === undefined) throw invalidUsage('a bucket has the contracts of stages: pass --stage production');
    // The version first: if the run ends here, no message that was sent later is missing from the next comparison.
    await writeAll(to, new Map([[below(versionKey(facts.digest)), jsonText(contract)], ...placed]), line, around);
  } else await writeAll(to, placed, line, around);
  out(`${to} ${below('contract.json')} published, digest ${facts.digest}\n`);
  return EXIT.ok;
}

/** @throws FrameworkError `cli.usage` */
export function placeOf(line: CommandLine): string {
  const to = line.text('to');
  if (to === undefined) throw invalidUsage('name the place: --to npm, --to s3://bucket/prefix or --to <folder>');
  return to;
}

/** Writes files to a bucket, in order, or to a folder, where files that are equal are not written. */
export async function writeAll(
  to: string,
  texts: ReadonlyMap<string, string>,
  line: CommandLine,
  around: Around,
): Promise<void> {
  if (isBucketUrl(to)) {
    const bucket = await openBucket(to, line, around);
    for (const [key, text] of texts) await bucket.put(key, text);
    return;
  }
  for (const [name, text] of texts) {
    const file = join(resolve(around.cwd, to), name);
    if (readIfThere(file) === text) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    around.out(`${relative(around.cwd, file)}\n`);
  }
}
