import { resolve } from 'node:path';
import { parseContractFile, type ServiceContract, toTypes } from '@sallyport/contract/service';
import type { Around, Command } from '../internal/command.js';
import { type CommandLine, parseCommandLine } from '../internal/command-line.js';
import { invalidUsage } from '../internal/errors.js';
import { guarded } from '../internal/guarded.js';
import { asBuild } from './internal/as-build.js';
import { WRITE_FLAGS, writeFiles } from './internal/files.js';
import { readForeign } from './internal/foreign-contract.js';
import { asUsage, contractOfProject, SERVICE_FLAGS } from './internal/service-contract.js';
import { watched } from './internal/watch.js';

const FLAGS: Command['flags'] = {
  out: { type: 'text', help: 'the file of the types (default src/contract.d.ts)' },
  from: {
    type: 'text',
    help: 'a contract of another service: a file contract.json, a URL, or a package with that file',
  },
  ...WRITE_FLAGS,
  ...SERVICE_FLAGS,
};

/** `sallyport types`: writes the types of a contract as one flat file. */
export const TYPES_COMMAND: Command = {
  usage: 'types [entry...]',
  does: 'writes the types of the contract for callers, producers and tests',
  flags: FLAGS,
  run: guarded(watched(asBuild(types))),
};

async function types(args: readonly string[], around: Around): Promise<number> {
  const line = parseCommandLine(args, FLAGS);
  const from = line.text('from');
  if (from !== undefined && line.positionals.length > 0)
    throw invalidUsage('pass --from or the files of functions, not both');
  const contract = await contractFor(from, line, around);
  const file = resolve(around.cwd, line.text('out') ?? 'src/contract.d.ts');
  return writeFiles(new Map([[file, toTypes(contract)]]), contract, line, around);
}

/** The contract of the project, or of another service: a file, a URL or a package. */
export async function contractFor(
  from: string | undefined,
  line: CommandLine,
  around: Around,
): Promise<ServiceContract> {
  if (from === undefined) return contractOfProject(around.cwd, line.positionals, line);
  const text = await readForeign(from, around.cwd, around.signal);
  return asUsage(() => parseContractFile(text, from));
}
