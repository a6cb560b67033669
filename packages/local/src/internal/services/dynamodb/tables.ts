import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isFrameworkError } from '@sallyport/core';
import type { TableConfig } from '../../config/config.js';
import { callEngine, type EngineAnswer } from './engine-client.js';

/** Packages with a `/schema` entry that describes tables. */
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

/** The exports of a `/schema` entry for a table. */
interface TableSchema extends Keyed {
  readonly ttlAttribute?: string;
  readonly indexes?: readonly (Keyed & { readonly name: string; readonly projection?: string })[];
}

/** One table of a run. */
export interface LocalTable {
  readonly name: string;
  /** The variable that passes its name to the function; `undefined` for a table of `sallyport.json`. */
  readonly variable: string | undefined;
  /** The input of `CreateTable`. */
  readonly input: TableConfig;
  readonly ttlAttribute: string | undefined;
}

/**
 * The tables of the Sallyport packages that a project depends on.
 *
 * @param env variables of the developer: a table name in them is used
 */
export async function findTables(
  project: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly LocalTable[]> {
  const found = await Promise.all(PACKAGES.map((name) => loadSchema(project, `@sallyport/${name}/schema`)));
  return found.flatMap((module) => tablesOf(module, env));
}

/** The exports of the entry; `{}` if the project does not depend on the package. */
async function loadSchema(project: string, entry: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const file = createRequire(join(project, 'package.json')).resolve(entry);
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** The variable in `JOBS_TABLE_NAME_ENV` names the table of `JOBS_TABLE_SCHEMA`. */
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
 * Creates a table that does not exist yet. An existing table is not changed.
 *
 * @throws FrameworkError with the engine's message if the table cannot be created
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

/** The names of all tables. */
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
