import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { didYouMean, isObject, isStringMap } from '@sallyport/core/internal';
import { boolean, group, integer, kind, list, number, type OptionKind, text } from '@sallyport/core/options';
import { parseRoute } from '../doors/route.js';
import { usageError } from '../errors.js';
import { SOURCE_TYPES, type SourceMember } from '../sources/source-types.js';
import type { Authorizer, LambdaAuthorizer, LocalValues, TableConfig } from './config.js';
import { mapOf } from './kinds.js';

/** The settings of each kind of source, by the name of the source. */
type SourceSettings = { readonly [M in SourceMember]?: Readonly<Record<string, object>> };

/** The contents of `sallyport.json`. Data only: reading it runs no code. */
export interface ConfigFile extends SourceSettings {
  readonly $schema?: string;
  readonly entry?: string;
  readonly handler?: string;
  readonly timeout?: number;
  readonly memory?: number;
  readonly node?: string;
  readonly concurrency?: number;
  readonly managedInstances?: number;
  readonly durable?: number;
  readonly freeze?: boolean;
  readonly state?: boolean;
  readonly bundle?: boolean;
  readonly conditions?: readonly string[];
  readonly envFile?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly audiences?: readonly string[];
  readonly pass?: readonly string[];
  readonly aws?: readonly string[];
  readonly manifest?: string;
  readonly template?: string;
  readonly strict?: boolean;
  readonly restStream?: boolean;
  readonly authorizer?: Authorizer;
  readonly authorizerScopes?: readonly string[];
  readonly webSocketAuthorizer?: LambdaAuthorizer;
  readonly graphqlAuthorizer?: LambdaAuthorizer;
  readonly multiValueHeaders?: boolean;
  readonly binaryMediaTypes?: readonly string[];
  readonly routes?: readonly string[];
  readonly stage?: string;
  readonly stageVariables?: Readonly<Record<string, string>>;
  readonly schema?: string;
  readonly graphqlDirect?: boolean;
  readonly batchFields?: readonly string[];
  readonly routeResponse?: boolean;
  readonly allowHosts?: readonly string[];
  readonly speed?: number;
  readonly tables?: readonly TableConfig[];
  readonly buckets?: readonly string[];
  readonly values?: LocalValues;
}

const filled = text();
const LAMBDA_AUTHORIZER = /^lambda:[A-Za-z_$][\w$.]*$/;
const AUTHORIZER = /^(?:jwt|iam|lambda:[A-Za-z_$][\w$.]*)$/;
const lambdaAuthorizer = kind<LambdaAuthorizer>('lambda:<export>', (value) => LAMBDA_AUTHORIZER.test(String(value)));
const STRINGS = kind<Readonly<Record<string, string>>>('an object of strings', isStringMap);
const texts = list(filled, 'a list of strings');

/** Validators for the settings of each kind of source. */
const SOURCE_KINDS: Readonly<Record<string, OptionKind<unknown>>> = Object.fromEntries(
  SOURCE_TYPES.flatMap(({ config }) => (config ? [[config.member, config.values]] : [])),
);

/** Validators and defaults for {@link ConfigFile}. */
export const FILE_KINDS = {
  $schema: filled,
  entry: filled,
  handler: filled,
  timeout: number(0.1, 900, 'seconds'),
  memory: integer(128, 10_240, 'megabytes'),
  node: filled,
  concurrency: integer(1, 1000),
  managedInstances: integer(1, 64, 'workers'),
  durable: integer(1, 31_622_400, 'seconds'),
  freeze: boolean,
  state: boolean,
  bundle: boolean,
  conditions: texts,
  envFile: filled,
  env: STRINGS,
  audiences: texts,
  pass: texts,
  aws: texts,
  manifest: filled,
  template: filled,
  strict: boolean,
  restStream: boolean,
  authorizer: kind<Authorizer>('jwt, iam or lambda:<export>', (value) => AUTHORIZER.test(String(value))),
  authorizerScopes: texts,
  webSocketAuthorizer: lambdaAuthorizer,
  graphqlAuthorizer: lambdaAuthorizer,
  multiValueHeaders: boolean,
  binaryMediaTypes: texts,
  routes: list<string>(kind('a route such as GET /notes/{id}', (value) => parseRoute(String(value)) !== undefined)),
  stage: filled,
  stageVariables: STRINGS,
  schema: filled,
  graphqlDirect: boolean,
  batchFields: texts,
  routeResponse: boolean,
  allowHosts: texts,
  speed: number(0.001, 100_000),
  ...SOURCE_KINDS,
  tables: list<TableConfig>(
    kind('an input of CreateTable', (value) => isObject(value) && typeof (value as TableConfig).TableName === 'string'),
  ),
  buckets: texts,
  values: group<LocalValues>()({
    parameters: STRINGS,
    secrets: STRINGS,
    flags: mapOf<object>(
      'an object of flags, each with enabled',
      (flag) => isObject(flag) && 'enabled' in Object(flag),
    ),
  }),
};

/**
 * Reads `sallyport.json` of a folder; `{}` if absent.
 *
 * @throws FrameworkError `local.usage` with the problem, and the nearest key
 */
export function readConfigFile(folder: string): ConfigFile {
  const file = join(folder, 'sallyport.json');
  if (!existsSync(file)) return {};
  const given = parseJson(readFileSync(file, 'utf8'));
  if (!isObject(given)) throw usageError('sallyport.json must contain an object');
  const known = Object.keys(FILE_KINDS);
  const parsed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given as object)) {
    if (!Object.hasOwn(FILE_KINDS, key))
      throw usageError(`sallyport.json: unknown key "${key}"${didYouMean(key, known)}`);
    const member = FILE_KINDS[key as keyof typeof FILE_KINDS] as OptionKind<unknown, unknown>;
    parsed[key] = member.read(value, {
      name: key,
      environment: {},
      fail: (problem) => usageError(`sallyport.json: ${problem.replace(/^option /, '')}`),
    });
  }
  return parsed as ConfigFile;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw usageError(`sallyport.json is not valid JSON: ${(error as Error).message}`);
  }
}
