import {
  AttributeType,
  BillingMode,
  type CfnTable,
  type ITable,
  ProjectionType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { acknowledge } from '../internal/acknowledge.js';
import { setVariable } from '../internal/environment.js';
import { grantOn } from '../internal/grants.js';
import { grantKey } from '../internal/keys.js';
import { misuse } from '../internal/misuse.js';
import { count, defineProps, flag, literal, thing, words } from '../internal/props.js';
import { noteTable } from '../internal/tables.js';

/** The actions on a table that a function is granted. */
export class TableAccess {
  /** Reads items and queries. */
  static readonly READ: TableAccess = new TableAccess(true, false);
  /** Writes and removes items. */
  static readonly WRITE: TableAccess = new TableAccess(false, true);
  /** Both. */
  static readonly READ_WRITE: TableAccess = new TableAccess(true, true);

  private constructor(
    readonly reads: boolean,
    readonly writes: boolean,
  ) {}
}

/** Props of {@link StateTable.bindTo}. */
export interface BindTableProps {
  /**
   * The actions that the function is granted.
   *
   * @default TableAccess.READ_WRITE
   */
  readonly access?: TableAccess;
}

/** Props of every table. */
export interface StateTableProps {
  /**
   * An existing table with the keys and indexes of the schema. No table is created then.
   *
   * @default - a new table
   */
  readonly table?: ITable;
  /**
   * The name of the table.
   *
   * @default - generated
   */
  readonly tableName?: string;
  /**
   * Your KMS key.
   *
   * @default - the key that AWS manages for DynamoDB in the account
   */
  readonly encryptionKey?: IKey;
  /**
   * True if the table can be restored to any second of the last 35 days.
   *
   * @default - from the schema: true, for counters and connections false
   */
  readonly pointInTimeRecovery?: boolean;
  /**
   * The removal policy of the table.
   *
   * @default - from the schema: RETAIN, for counters and connections DESTROY
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * True if DynamoDB rejects the deletion of the table.
   *
   * @default false
   */
  readonly deletionProtection?: boolean;
  /**
   * Read units a second that the table serves immediately, at least 12,000. A new table grows to more in 30 minutes.
   *
   * @default - DynamoDB's default, 12,000
   */
  readonly warmReadUnits?: number;
  /**
   * Write units a second that the table serves immediately, at least 4,000. A new table grows to more in 30 minutes.
   *
   * @default - DynamoDB's default, 4,000
   */
  readonly warmWriteUnits?: number;
}

interface TableKey {
  readonly name: string;
  readonly type: 'S';
}

/** A table as the `/schema` entry of its package describes it. */
export interface TableSchema {
  /** The partition key. */
  readonly partitionKey: TableKey;
  /** The sort key. */
  readonly sortKey: TableKey;
  /** The attribute with the expiry, in Unix seconds. */
  readonly ttlAttribute: string;
  /** On demand. */
  readonly billingMode: 'PAY_PER_REQUEST';
  /** The removal policy of the table. */
  readonly removalPolicy: 'RETAIN' | 'DESTROY';
  /** True if the table can be restored. Default: true if it is retained. */
  readonly pointInTimeRecovery?: boolean;
  /** The global secondary indexes. */
  readonly indexes?: readonly {
    readonly name: string;
    readonly partitionKey: TableKey;
    readonly sortKey?: TableKey;
    readonly projection: 'KEYS_ONLY';
  }[];
}

/** The definition of one package's table. */
export interface TableDefinition {
  /** The variable that names the table. */
  readonly variable: string;
  /** Keys, indexes and TTL. */
  readonly schema: TableSchema;
  /** The IAM actions that the package needs. */
  readonly actions: { readonly read: readonly string[]; readonly write: readonly string[] };
}

/** Validators and defaults for {@link StateTableProps}. */
export const STATE_TABLE_PROPS = defineProps<StateTableProps>('StateTable')({
  table: thing<ITable>('a table', 'tableArn'),
  tableName: words(),
  encryptionKey: thing<IKey>('a key', 'keyArn'),
  pointInTimeRecovery: flag,
  removalPolicy: literal<RemovalPolicy>('a RemovalPolicy', (value) => typeof value === 'string'),
  deletionProtection: flag,
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput.html
  warmReadUnits: count(12_000, Number.MAX_SAFE_INTEGER),
  warmWriteUnits: count(4000, Number.MAX_SAFE_INTEGER),
});

/** A table of one Sallyport package: keys, indexes and TTL come from the package's `/schema` entry. */
export abstract class StateTable extends Construct {
  /** The table. */
  readonly table: ITable;
  readonly #definition: TableDefinition;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop, and for props next to an existing `table` */
  protected constructor(scope: Construct, id: string, props: StateTableProps | undefined, definition: TableDefinition) {
    super(scope, id);
    this.#definition = definition;
    const parsed = STATE_TABLE_PROPS.parse(this, props);
    const { table: existing, ...others } = parsed;
    const surplus = Object.entries(others).find(([, value]) => value !== undefined);
    if (existing && surplus) {
      throw misuse(this, { what: `prop ${surplus[0]} next to an existing table`, expected: 'only the prop "table"' });
    }
    if (existing) checkKeys(this, existing, definition.schema);
    this.table = existing ?? (makeTable(this, definition.schema, others) as ITable);
  }

  /**
   * Grants the actions and sets the variable that names the table.
   *
   * @throws ConstructError `constructs.fixed_environment` for an imported function, `constructs.conflict` when the
   *   variable names another table
   */
  bindTo(fn: IFunction, { access = TableAccess.READ_WRITE }: BindTableProps = {}): this {
    setVariable(this, fn, this.#definition.variable, this.table.tableName);
    noteTable(fn, this.table);
    if (access.reads) this.grantRead(fn);
    if (access.writes) this.grantWrite(fn);
    return this;
  }

  /** Grants reading items, and queries of the table and its indexes. */
  grantRead(grantee: IGrantable): Grant {
    const { schema, actions } = this.#definition;
    const { tableArn, encryptionKey } = this.table;
    grantKey(encryptionKey, grantee, 'table', 'read');
    const indexArns = (schema.indexes ?? []).map(({ name }) => `${tableArn}/index/${name}`);
    return grantOn(grantee, actions.read, [tableArn, ...indexArns]);
  }

  /** Grants writing and removing items. */
  grantWrite(grantee: IGrantable): Grant {
    grantKey(this.table.encryptionKey, grantee, 'table', 'write');
    return grantOn(grantee, this.#definition.actions.write, [this.table.tableArn]);
  }
}

/** Compares the keys and indexes of a table of this app. Those of an imported table are unknown. */
function checkKeys(at: Construct, table: ITable, schema: TableSchema): void {
  if (!(table instanceof Table)) return;
  const { keySchema, globalSecondaryIndexes } = Stack.of(table).resolve({
    keySchema: (table.node.defaultChild as CfnTable).keySchema,
    globalSecondaryIndexes: (table.node.defaultChild as CfnTable).globalSecondaryIndexes ?? [],
  }) as { keySchema: KeySchema; globalSecondaryIndexes: readonly { indexName: string; keySchema: KeySchema }[] };
  const found = namesOf(keySchema);
  if (found !== shown(schema)) {
    const what = `the table ${table.node.path} has the keys ${found}`;
    throw misuse(at, { what, expected: `the keys ${shown(schema)}, and the indexes of the schema` });
  }
  for (const index of schema.indexes ?? []) {
    const existing = globalSecondaryIndexes.find(({ indexName }) => indexName === index.name);
    if (existing && namesOf(existing.keySchema) === shown(index)) continue;
    const what = `the table ${table.node.path} has ${existing ? 'another' : 'no'} index ${index.name}`;
    throw misuse(at, { what, expected: `a global secondary index with the keys ${shown(index)}` });
  }
}

type KeySchema = readonly CfnTable.KeySchemaProperty[];

function namesOf(keys: KeySchema): string {
  return keys.map(({ attributeName }) => attributeName).join(' and ');
}

function shown({ partitionKey, sortKey }: { readonly partitionKey: TableKey; readonly sortKey?: TableKey }): string {
  return [partitionKey, ...(sortKey ? [sortKey] : [])].map(({ name }) => name).join(' and ');
}

type Settings = Omit<ReturnType<typeof STATE_TABLE_PROPS.parse>, 'table'>;

function makeTable(scope: Construct, schema: TableSchema, settings: Settings): Table {
  const { tableName, encryptionKey, deletionProtection, warmReadUnits, warmWriteUnits } = settings;
  const recovers = settings.pointInTimeRecovery ?? schema.pointInTimeRecovery ?? schema.removalPolicy === 'RETAIN';
  const table = new Table(scope, 'Resource', {
    partitionKey: attribute(schema.partitionKey),
    sortKey: attribute(schema.sortKey),
    timeToLiveAttribute: schema.ttlAttribute,
    billingMode: BillingMode[schema.billingMode],
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: recovers },
    removalPolicy: settings.removalPolicy ?? RemovalPolicy[schema.removalPolicy],
    ...(encryptionKey
      ? { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }
      : { encryption: TableEncryption.AWS_MANAGED }),
    ...(tableName !== undefined && { tableName }),
    ...(deletionProtection !== undefined && { deletionProtection }),
    ...((warmReadUnits !== undefined || warmWriteUnits !== undefined) && {
      warmThroughput: {
        ...(warmReadUnits !== undefined && { readUnitsPerSecond: warmReadUnits }),
        ...(warmWriteUnits !== undefined && { writeUnitsPerSecond: warmWriteUnits }),
      },
    }),
  });
  if (!recovers) {
    const reason = 'Clients recreate the data: a restore is not needed.';
    acknowledge(table, 'AwsSolutions::AwsSolutions-DDB3', reason);
  }
  for (const index of schema.indexes ?? []) {
    table.addGlobalSecondaryIndex({
      indexName: index.name,
      partitionKey: attribute(index.partitionKey),
      projectionType: ProjectionType[index.projection],
      ...(index.sortKey && { sortKey: attribute(index.sortKey) }),
    });
  }
  return table;
}

function attribute({ name }: TableKey): { readonly name: string; readonly type: AttributeType } {
  return { name, type: AttributeType.STRING };
}
