import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isFrameworkError } from '@sallyport/core';
import type { TableConfig } from '../config/config.js';
import { callEngine, type EngineAnswer } from './engine-client.js';

/** Packages whose entry `/schema` describes tables. */
const PACKAGES = ['connections', 'jobs', 'mcp', 'microvm', 'ratelimit'] as const;
const SCHEMA = '_TABLE_SCHEMA';

interface Key {
  readonly name: string;
  readonly type: 'S' | 'N' | 'B';
}

interface Keyed {
  readonly partitionKey: Key;
  readonly sortKey?: Key;
}

/** What a `/schema` entry exports for a table. */
interface TableSchema extends Keyed {
  readonly ttlAttribute?: string;
  readonly indexes?: readonly (Keyed & { readonly name: string; readonly projection?: string })[];
}

/** One table of a run. */
export interface LocalTable {
  readonly name: string;
  /** The variable that names it to the function; `undefined` for a table of `sallyport.json`. */
  readonly variable: string | undefined;
  /** The input of `CreateTable`. */
  readonly input: TableConfig;
  readonly ttlAttribute: string | undefined;
}

/**
 * The tables of the packages of ours that a project depends on.
 *
 * @param env variables that the developer sets: a name there is taken
 */
export async function findTables(
  project: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly LocalTable[]> {
  const found = await Promise.all(PACKAGES.map((name) => loadSchema(project, `@sallyport/${name}/schema`)));
  return found.flatMap((module) => tablesOf(module, env));
}

/** What the entry exports; nothing when the project does not depend on the package. */
async function loadSchema(project: string, entry: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const file = createRequire(join(project, 'package.json')).resolve(entry);
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** `JOBS_TABLE_SCHEMA` is named by the variable in `JOBS_TABLE_NAME_ENV`. */
function tablesOf(
  module: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string>>,
): readonly LocalTable[] {
  return Object.entries(module).flatMap(([name, schema]) => {
    const prefix = name.endsWith(SCHEMA) ? name.slice(0, -SCHEMA.length) : '';
    const variable = module[`${prefix}_TABLE_NAME_ENV`];
    if (prefix === '' || typeof variable !== 'string') return [];
    const table = env[variable] ?? prefix.toLowerCase().replaceAll('_', '-');
    const { ttlAttribute } = schema as TableSchema;
    return [{ name: table, variable, input: toInput(table, schema as TableSchema), ttlAttribute }];
  });
}

/** A table of `sallyport.json`. */
export function toLocalTable(input: TableConfig): LocalTable {
  const billing = { BillingMode: 'PAY_PER_REQUEST', ...input };
  return { name: input.TableName, variable: undefined, input: billing, ttlAttribute: undefined };
}

function toInput(TableName: string, schema: TableSchema): TableConfig {
  const { indexes = [] } = schema;
  const keys = [schema, ...indexes].flatMap(keysOf);
  const types = new Map(keys.map(({ name, type }) => [name, type]));
  const GlobalSecondaryIndexes = indexes.map((index) => ({
    IndexName: index.name,
    KeySchema: keySchema(index),
    Projection: { ProjectionType: index.projection ?? 'ALL' },
  }));
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    KeySchema: keySchema(schema),
    ...(indexes.length > 0 && { GlobalSecondaryIndexes }),
  };
}

function keysOf({ partitionKey, sortKey }: Keyed): readonly Key[] {
  return sortKey ? [partitionKey, sortKey] : [partitionKey];
}

function keySchema(keyed: Keyed): readonly object[] {
  return keysOf(keyed).map(({ name }, index) => ({ AttributeName: name, KeyType: index === 0 ? 'HASH' : 'RANGE' }));
}

/**
 * Makes a table that is not there yet. One that is there stays as it is.
 *
 * @throws FrameworkError with the engine's text for a table that cannot be made
 */
export async function ensureTable(endpoint: string, { name, input, ttlAttribute }: LocalTable): Promise<void> {
  try {
    await callEngine(endpoint, 'DynamoDB.CreateTable', input);
  } catch (error) {
    if (isFrameworkError(error) && error.code === 'ResourceInUseException') return;
    throw error;
  }
  if (ttlAttribute === undefined) return;
  const TimeToLiveSpecification = { Enabled: true, AttributeName: ttlAttribute };
  await callEngine(endpoint, 'DynamoDB.UpdateTimeToLive', { TableName: name, TimeToLiveSpecification });
}

/** Names of all tables. */
export async function tableNames(endpoint: string): Promise<readonly string[]> {
  const names: string[] = [];
  let last: unknown;
  do {
    const page: EngineAnswer = await callEngine(
      endpoint,
      'DynamoDB.ListTables',
      last === undefined ? {} : { ExclusiveStartTableName: last },
    );
    names.push(...(page.TableNames as readonly string[]));
    last = page.LastEvaluatedTableName;
  } while (last !== undefined);
  return names;
}
