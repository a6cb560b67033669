import { existsSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import {
  compareGraphqlSchema,
  type DescribedService,
  joinContracts,
  readContracts,
  type ServiceContract,
  toContract,
} from '@sallyport/contract/service';
import { isFrameworkError } from '@sallyport/core';
import { membersOf } from '@sallyport/core/internal';
import type { CommandLine } from '../../internal/command-line.js';
import { cliError, invalidUsage } from '../../internal/errors.js';
import { readJsonIfThere } from '../../internal/template.js';
import { readIfThere } from './files.js';

/** The flags that determine the functions of a service. */
export const SERVICE_FLAGS = {
  name: { type: 'text', help: 'the name of the service (default: of package.json)' },
  handler: { type: 'text', help: 'the export that is the handler (default: of sallyport.json, else handler)' },
  schema: {
    type: 'text',
    help: 'the GraphQL schema file to compare with (default: of sallyport.json, else schema.graphql)',
  },
  condition: { type: 'text', multiple: true, help: 'an export condition of packages (default: of sallyport.json)' },
} as const;

/** The facts of a project that its code does not state. */
export interface Project {
  readonly name: string;
  readonly version: string;
}

/** Name and version of the `package.json` of a folder. */
export function projectOf(cwd: string, line: CommandLine): Project {
  const { name, version } = membersOf(readJsonIfThere(resolve(cwd, 'package.json')));
  const own = typeof name === 'string' ? name : basename(cwd);
  return { name: line.text('name') ?? own, version: typeof version === 'string' ? version : '0.0.0' };
}

/**
 * The contract of the functions of a project: each file is bundled and loaded in a separate process.
 *
 * @param entries the files of the functions, or files `contract.json` of several services; default: `entry` of `sallyport.json`, else `src/lambda.ts`
 * @throws FrameworkError `cli.usage` for a file that does not exist, or operations that two functions register; `bundle.failed` if a
 *   function does not compile or does not load
 */
export async function contractOfProject(
  cwd: string,
  entries: readonly string[],
  line: CommandLine,
): Promise<ServiceContract> {
  if (entries.length > 0 && entries.every((one) => one.endsWith('.json'))) {
    const written = entries.flatMap((one) => asUsage(() => readContracts(resolve(cwd, one), one)));
    return asUsage(() => joinContracts(projectOf(cwd, line).name, written));
  }
  const settings = membersOf(readJsonIfThere(resolve(cwd, 'sallyport.json')));
  const own = typeof settings.entry === 'string' ? settings.entry : 'src/lambda.ts';
  const files = (entries.length > 0 ? entries : [own]).map((file) => resolve(cwd, file));
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) throw invalidUsage(`the file ${missing} does not exist: name the files of the functions`);
  const handler = line.text('handler') ?? settings.handler;
  const given = line.list('condition');
  const conditions =
    given.length > 0 ? given : Array.isArray(settings.conditions) ? settings.conditions.map(String) : [];
  const { describeEntry } = await loadBundle();
  const functions = [...new Set(files)].map((entry) => ({
    ...(describeEntry({
      entry,
      conditions,
      environment: variablesOf(settings.env),
      ...(typeof handler === 'string' && { handler }),
    }) as Omit<DescribedService, 'function'>),
    function: relative(cwd, entry).replaceAll('\\', '/'),
  }));
  const contract = asUsage(() => toContract(projectOf(cwd, line).name, functions));
  assertSchemaFits(contract, cwd, line.text('schema') ?? settings.schema);
  return contract;
}

/** Compares the GraphQL schema file, if it exists. @throws FrameworkError `cli.schema_differs` with all differences, `cli.usage` */
function assertSchemaFits(contract: ServiceContract, cwd: string, given: unknown): void {
  const file = typeof given === 'string' ? given : 'schema.graphql';
  const text = readIfThere(resolve(cwd, file));
  if (text === undefined && typeof given === 'string') throw invalidUsage(`the schema file ${file} does not exist`);
  if (text === undefined || Object.keys(contract.field).length === 0) return;
  const found = compareGraphqlSchema(contract, text).filter(({ level }) => level === 'differs');
  if (found.length === 0) return;
  const lines = found.map(({ field, problem }) => `\n  ${field}: ${problem}`);
  throw cliError('cli.schema_differs', `${file} and the registered fields differ:${lines.join('')}`);
}

/** Values of `sallyport dev`, such as `$issuer`, have placeholders. */
function variablesOf(env: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(membersOf(env)).filter(
    ([, value]) => typeof value === 'string' && !value.startsWith('$'),
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

async function loadBundle(): Promise<typeof import('@sallyport/bundle')> {
  try {
    return await import('@sallyport/bundle');
  } catch (cause) {
    const install = 'npm install --save-dev @sallyport/bundle';
    throw cliError(
      'cli.client_missing',
      `reading a service needs @sallyport/bundle, which is not installed: ${install}`,
      cause,
    );
  }
}

/** Runs a function whose errors are about files of the user. @throws FrameworkError `cli.usage` */
export function asUsage<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (isFrameworkError(error) && error.code === 'app.invalid_configuration') {
      throw invalidUsage(error.message.replace(/^framework: /, ''));
    }
    throw error;
  }
}
