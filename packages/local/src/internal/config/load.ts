import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { usageError } from '../errors.js';
import { SOURCE_TYPES } from '../sources/source-types.js';
import type { Config, SourcesConfig } from './config.js';
import { audiencesOf, deployedFunction } from './deployed-function.js';
import { type ConfigFile, readConfigFile } from './file.js';
import { readFleet } from './fleet.js';
import { stateFolderOf } from './state-folder.js';

/** The flags of the command line, in addition to the keys of `sallyport.json`. `undefined` if a flag is absent. */
export interface Flags extends Omit<ConfigFile, '$schema'> {
  readonly port?: number;
  /** True to run all functions of the template, plan or manifest. */
  readonly all?: boolean;
  readonly inspect?: number;
  readonly open?: boolean;
  readonly editor?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly reveal?: boolean;
}

/**
 * The settings of a run. Precedence: the flags, `sallyport.json`, the template or plan or the
 * constructs' manifest, the defaults.
 *
 * @param folder where the command was called
 * @throws FrameworkError `local.usage`
 */
export function loadConfig(folder: string, flags: Flags): Config {
  const project = projectOf(folder, flags.entry);
  const file = readConfigFile(project);
  const given = { ...file, ...flags };
  const at = (path: string) => (isAbsolute(path) ? path : join(project, path));
  const template = given.template === undefined ? undefined : at(given.template);
  const manifest = given.manifest === undefined ? ifThere(at(join('cdk.out', 'sallyport.json'))) : at(given.manifest);
  const fleet = given.all ? readFleet({ template, manifest, folder: project }) : undefined;
  assertFleetFlags(flags);
  const entry =
    fleet?.functions[0]?.entry ??
    resolve(flags.entry === undefined ? project : folder, given.entry ?? join('src', 'lambda.ts'));
  if (!existsSync(entry))
    throw usageError(`the file ${entry} does not exist: name the entry file, as in sallyport dev src/lambda.ts`);
  const envFile = given.envFile === undefined ? ifThere(at('.env.local')) : at(given.envFile);
  if (envFile !== undefined && !existsSync(envFile)) throw usageError(`the file ${envFile} does not exist`);
  if (given.schema !== undefined && !existsSync(at(given.schema)))
    throw usageError(`the file ${at(given.schema)} does not exist`);
  const deployed = fleet?.deployed ?? deployedFunction({ template, manifest, folder: project, entry });
  return {
    folder: project,
    entry,
    handler: given.handler ?? (template === undefined ? undefined : deployed?.fn.handler) ?? 'handler',
    name: packageName(project),
    stateFolder: stateFolderOf(project),
    port: given.port,
    timeoutMs: given.timeout === undefined ? (deployed?.fn.timeoutMs ?? 10_000) : Math.round(given.timeout * 1000),
    memoryMb: given.memory ?? deployed?.fn.memoryMb ?? 256,
    node: given.node ?? process.execPath,
    concurrency: given.concurrency ?? 10,
    isThrottled: given.concurrency !== undefined,
    managedInstances: given.managedInstances,
    durable: given.durable ?? deployed?.fn.durableSeconds,
    inspect: given.inspect,
    freeze: (given.freeze ?? true) && process.platform !== 'win32',
    state: given.state ?? true,
    conditions: given.conditions ?? [],
    bundle: given.bundle ?? false,
    open: given.open ?? false,
    editor: given.editor,
    json: given.json ?? false,
    quiet: given.quiet ?? false,
    reveal: given.reveal ?? false,
    envFile,
    env: {
      ...(given.values?.flags && { [FLAGS_PROFILE]: 'local/local/flags' }),
      ...file.env,
      ...(envFile === undefined ? {} : readVariables(envFile)),
      ...flags.env,
    },
    audiences: [...(given.audiences ?? []), ...audiencesOf(deployed)],
    pass: [...(file.pass ?? []), ...(flags.pass ?? [])],
    aws: [...(file.aws ?? []), ...(flags.aws ?? [])],
    manifest,
    template,
    deployed,
    fleet,
    hasStandby: true,
    strict: given.strict ?? false,
    restStream: given.restStream ?? false,
    authorizer: given.authorizer,
    authorizerScopes: given.authorizerScopes ?? [],
    webSocketAuthorizer: given.webSocketAuthorizer,
    graphqlAuthorizer: given.graphqlAuthorizer,
    multiValueHeaders: given.multiValueHeaders,
    binaryMediaTypes: given.binaryMediaTypes,
    routes: given.routes ?? [],
    stage: given.stage,
    stageVariables: given.stageVariables,
    schema: given.schema === undefined ? ifThere(at('schema.graphql')) : at(given.schema),
    graphqlDirect: given.graphqlDirect ?? false,
    batchFields: given.batchFields ?? [],
    routeResponse: given.routeResponse ?? false,
    allowHosts: [...(file.allowHosts ?? []), ...(flags.allowHosts ?? [])],
    speed: given.speed ?? 1,
    sources: sourcesOf(given),
    tables: given.tables ?? [],
    buckets: given.buckets ?? [],
    values: given.values ?? {},
  };
}

/** @throws FrameworkError `local.usage` for flags that are about one function */
function assertFleetFlags({ all, entry, authorizer, inspect }: Flags): void {
  if (!all) return;
  if (entry !== undefined) throw usageError('pass --all or an entry file, not both');
  if (inspect !== undefined) throw usageError('--inspect is for one function: name its entry file instead of --all');
  if (authorizer?.startsWith('lambda:'))
    throw usageError('--authorizer lambda:<export> is for one function: name its entry file instead of --all');
}

/** The settings of the sources, by the member of the file. */
function sourcesOf(given: Flags): SourcesConfig {
  return Object.fromEntries(
    SOURCE_TYPES.flatMap(({ config }) => (config ? [[config.member, given[config.member] ?? {}]] : [])),
  );
}

/** The nearest folder with a `package.json` at or above the entry file, else the folder itself. */
export function projectOf(folder: string, entry?: string): string {
  const start = entry === undefined ? folder : dirname(resolve(folder, entry));
  for (let at = start, above = ''; at !== above; above = at, at = dirname(at)) {
    if (existsSync(join(at, 'sallyport.json')) || existsSync(join(at, 'package.json'))) return at;
  }
  return folder;
}

/** The variable that `createParameters` of `@sallyport/parameters` reads; any profile has the local flags. */
const FLAGS_PROFILE = 'FRAMEWORK_FLAGS_PROFILE';

const ifThere = (file: string) => (existsSync(file) ? file : undefined);

function readVariables(file: string): Record<string, string> {
  return parseEnv(readFileSync(file, 'utf8')) as Record<string, string>;
}

/** The name of the package, changed to a valid function name. */
function packageName(folder: string): string {
  try {
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: string };
    const clean = (name ?? '')
      .replace(/^@[^/]*\//, '')
      .replaceAll(/[^\w-]/g, '-')
      .slice(0, 64);
    return clean === '' ? 'function' : clean;
  } catch {
    return 'function';
  }
}
