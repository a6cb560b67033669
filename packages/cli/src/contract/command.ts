import { resolve } from 'node:path';
import { compareContracts, type StoredContract, toAsyncApi, toMcp, toOpenApi } from '@sallyport/contract/service';
import { isFrameworkError } from '@sallyport/core';
import { AWS_FLAGS } from '../internal/aws-access.js';
import { type Around, type Command, EXIT } from '../internal/command.js';
import { type CommandLine, parseCommandLine } from '../internal/command-line.js';
import { invalidUsage } from '../internal/errors.js';
import { guarded } from '../internal/guarded.js';
import { contractsAt } from './internal/against.js';
import { asBuild } from './internal/as-build.js';
import { jsonText, WRITE_FLAGS, writeFiles } from './internal/files.js';
import { newContract } from './internal/new-contract.js';
import { publish } from './internal/publish.js';
import { record } from './internal/record.js';
import { findingText, joinFindings, readAllowed } from './internal/report.js';
import { contractOfProject, projectOf, SERVICE_FLAGS } from './internal/service-contract.js';
import { watched } from './internal/watch.js';

const FLAGS: Command['flags'] = {
  out: { type: 'text', help: 'the folder of the documents (default contract)' },
  ...WRITE_FLAGS,
  server: { type: 'text', multiple: true, help: 'an address of the service, for the OpenAPI document' },
  against: {
    type: 'text',
    multiple: true,
    help: 'contract check: a file, a folder, git:<revision>, stack:<name> or s3://<bucket>/<prefix> to compare with',
  },
  'retention-days': {
    type: 'number',
    help: 'contract check: days in which messages of a replaced version can be in flight (0 to 365; default 14)',
  },
  otherwise: { type: 'text', help: 'contract check: the same, if --against has no contract or is absent' },
  new: { type: 'text', help: 'contract check, publish: the file of the new contract (default: of the functions)' },
  allow: { type: 'text', help: 'contract check: the file of allowed findings (default contract.allow.json)' },
  json: { type: 'boolean', help: 'contract check: print one JSON object a line' },
  to: { type: 'text', help: 'contract publish, record: npm, s3://<bucket>/<prefix> or a folder' },
  package: { type: 'text', help: 'contract publish: the name of the package (default <service>-contract)' },
  stage: { type: 'text', help: 'contract publish: the stage that runs it: a folder, and the tag of npm' },
  owner: { type: 'text', help: 'contract publish: the team that owns the service' },
  commit: { type: 'text', help: 'contract publish: the commit (default of git)' },
  client: { type: 'text', help: 'contract record: the name of the client' },
  from: { type: 'text', help: 'contract record: the contract of the service: a file, a URL or a package' },
  ...SERVICE_FLAGS,
  ...AWS_FLAGS,
};

/** `sallyport contract`: writes the documents of a service, or compares its contract with older ones. */
export const CONTRACT_COMMAND: Command = {
  usage: 'contract [check|publish|record] [entry...]',
  does: 'writes the documents of the service; check compares them with deployed ones, publish shares them, record keeps what a client uses',
  flags: FLAGS,
  run: guarded(watched(asBuild(contract))),
};

async function contract(args: readonly string[], around: Around): Promise<number> {
  const line = parseCommandLine(args, FLAGS);
  const [first, ...rest] = line.positionals;
  if (first === 'check') return check(rest, line, around);
  if (first === 'publish') return publish(rest, line, around);
  if (first === 'record') return record(rest, line, around);
  const { cwd } = around;
  const found = await contractOfProject(cwd, line.positionals, line);
  const { version } = projectOf(cwd, line);
  const servers = line.list('server');
  const folder = resolve(cwd, line.text('out') ?? 'contract');
  const documents = {
    contract: found,
    openapi: toOpenApi(found, { version, ...(servers.length > 0 && { servers }) }),
    asyncapi: toAsyncApi(found, { version }),
    mcp: toMcp(found),
  };
  const files = Object.entries(documents).map(
    ([name, value]) => [resolve(folder, `${name}.json`), jsonText(value)] as const,
  );
  return writeFiles(new Map(files), found, line, around);
}

async function check(entries: readonly string[], line: CommandLine, around: Around): Promise<number> {
  const against = line.list('against');
  const otherwise = line.text('otherwise');
  if (against.length === 0 && otherwise === undefined) throw invalidUsage('name the old contract: --against git:main');
  const named = (await Promise.all(against.map((one) => contractsAt(one, line, around)))).flat();
  const old = named.length === 0 && otherwise !== undefined ? await contractsOtherwise(otherwise, line, around) : named;
  if (old.length === 0 && otherwise !== undefined) return EXIT.ok;
  if (old.length === 0) throw invalidUsage(`${against.join(', ')} has no contract.json: pass --otherwise git:main`);
  const allowed = readAllowed(around.cwd, line.text('allow') ?? 'contract.allow.json');
  const next = await newContract(entries, line, around);
  const found = old.map(({ place, contract: before }) => ({ place, findings: compareContracts(before, next) }));
  const reported = joinFindings(found, allowed);
  for (const finding of reported) {
    around.out(line.has('json') ? `${JSON.stringify({ type: 'finding', ...finding })}\n` : findingText(finding));
  }
  const ids = new Set(reported.map(({ id }) => id));
  for (const id of allowed.keys()) if (!ids.has(id)) around.err(`warning: nothing to allow for "${id}": remove it\n`);
  const breaking = reported.filter(({ level, allowed: reason }) => level === 'breaks' && reason === undefined);
  if (!line.has('json')) around.out(`${breaking.length} breaking changes, ${reported.length} findings\n`);
  return breaking.length > 0 ? EXIT.failed : EXIT.ok;
}

/** A first commit has nothing to compare with: the problem is a warning. */
async function contractsOtherwise(
  reference: string,
  line: CommandLine,
  around: Around,
): Promise<readonly StoredContract[]> {
  try {
    return await contractsAt(reference, line, around);
  } catch (error) {
    if (!isFrameworkError(error) || error.code !== 'cli.usage') throw error;
    around.err(`warning: nothing is compared: ${error.message}\n`);
    return [];
  }
}
