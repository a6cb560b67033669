import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ServiceContract, SOURCE_KINDS, usedPartOf } from '@sallyport/contract/service';
import { type Around, EXIT } from '../../internal/command.js';
import type { CommandLine } from '../../internal/command-line.js';
import { invalidUsage } from '../../internal/errors.js';
import { contractFor } from '../types-command.js';
import { jsonText, readIfThere } from './files.js';
import { placeOf, writeAll } from './publish.js';

/** A client is a folder and a part of a key. */
const CLIENT = /^[a-z0-9][a-z0-9._-]{0,62}$/;
/** Files that can name operations. */
const SOURCE = /\.(?:[cm]?[jt]sx?|vue|svelte|html|py|go|java|kt|cs|swift|dart)$/;
/** Folders without code of the client. */
const SKIPPED = /(?:^|[\\/])(?:node_modules|dist|\.[^\\/]+)(?:[\\/]|$)/;

/**
 * `sallyport contract record`, in the CI of a client: keeps the contract that the client was built with, so that `contract check` of the
 * service also compares with what this client uses.
 *
 * @param folders the client's sources: only operations and messages whose names occur in them are recorded; default: all
 * @throws FrameworkError `cli.usage`, `cli.aws_failed`
 */
export async function record(folders: readonly string[], line: CommandLine, around: Around): Promise<number> {
  const to = placeOf(line);
  if (to === 'npm') throw invalidUsage('a recorded contract is in a bucket or a folder: --to s3://bucket/prefix');
  const client = line.text('client') ?? '';
  if (!CLIENT.test(client))
    throw invalidUsage(`--client must be lower-case letters, digits, . _ and - (got "${client}")`);
  const from = line.text('from');
  if (from === undefined) throw invalidUsage('name the contract of the service: --from <file, URL or package>');
  const contract = await contractFor(from, line, around);
  const used = folders.length === 0 ? contract : usedIn(contract, textOf(folders, around.cwd));
  const count = namesOf(used).length;
  if (count === 0) throw invalidUsage(`${folders.join(', ')} name no operation of ${contract.service}`);
  const key = `clients/${client}/contract.json`;
  await writeAll(to, new Map([[key, jsonText(used)]]), line, around);
  around.out(`${to} ${key} recorded, ${count} of ${namesOf(contract).length} entries\n`);
  return EXIT.ok;
}

/** The entries whose names are literals in the sources. */
function usedIn(contract: ServiceContract, text: string): ServiceContract {
  return usedPartOf(contract, (key) => ["'", '"', '`'].some((quote) => text.includes(`${quote}${key}${quote}`)));
}

function namesOf({ http, socket, mcp, tool, invoke, field, ...rest }: ServiceContract): readonly string[] {
  const sources = SOURCE_KINDS.map((kind) => rest[kind]);
  return [http, socket.in, socket.out, mcp, tool, invoke, field, ...sources].flatMap((entries) => Object.keys(entries));
}

/** The contents of all source files in folders. */
function textOf(folders: readonly string[], cwd: string): string {
  const texts = folders.flatMap((folder) => {
    const path = resolve(cwd, folder);
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw invalidUsage(`${folder} is not a folder`);
    const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
    return names
      .filter((name) => SOURCE.test(name) && !SKIPPED.test(name) && !name.endsWith('.d.ts'))
      .map((name) => readIfThere(join(path, name)) ?? '');
  });
  return texts.join('\n');
}
