import { Code } from 'aws-cdk-lib/aws-lambda';
import {
  ConnectionsTable,
  EventBusTable,
  JobsTable,
  McpTable,
  MicrovmTable,
  RateLimitTable,
  ServiceFunction,
  TableAccess,
} from '../src/index.js';
import { actionsOn, newStack, propertiesOf, templateOf } from './support/synth.js';

const code = Code.fromInline('exports.handler = 1');

const RETAINED = { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } };
const COUNTERS = { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false } };
const index = (IndexName: string, ...names: readonly string[]) => ({
  IndexName,
  KeySchema: names.map((AttributeName, place) => ({ AttributeName, KeyType: place === 0 ? 'HASH' : 'RANGE' })),
  Projection: { ProjectionType: 'KEYS_ONLY' },
});

const TABLES = [
  {
    type: JobsTable,
    variable: 'FRAMEWORK_JOBS_TABLE_NAME',
    deletion: 'Retain',
    recovery: RETAINED,
    indexes: [
      index('tenant-created-index', 'tenant_id', 'created_at'),
      index('status-created-index', 'tenant_status', 'created_at'),
    ],
  },
  {
    type: EventBusTable,
    variable: 'FRAMEWORK_EVENTBUS_TABLE_NAME',
    deletion: 'Retain',
    recovery: RETAINED,
    indexes: [
      index('tenant-timestamp-index', 'tenant_id', 'published_key'),
      index('tenant-type-index', 'tenant_type', 'published_key'),
    ],
  },
  {
    type: McpTable,
    variable: 'FRAMEWORK_MCP_TABLE_NAME',
    deletion: 'Retain',
    recovery: RETAINED,
    indexes: undefined,
  },
  {
    type: MicrovmTable,
    variable: 'FRAMEWORK_MICROVM_TABLE_NAME',
    deletion: 'Retain',
    recovery: RETAINED,
    indexes: [index('pending-created-index', 'pending', 'created_at'), index('microvm-id-index', 'microvm_id')],
  },
  {
    type: ConnectionsTable,
    variable: 'FRAMEWORK_WEBSOCKET_CONNECTIONS_TABLE_NAME',
    deletion: 'Delete',
    recovery: COUNTERS,
    indexes: [index('listing-index', 'listing', 'listed')],
  },
  {
    type: RateLimitTable,
    variable: 'FRAMEWORK_RATE_LIMIT_TABLE_NAME',
    deletion: 'Delete',
    recovery: COUNTERS,
    indexes: undefined,
  },
] as const;

it.each(TABLES)('$type.name has the keys, indexes and defaults of its schema', (row) => {
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', { code });
  new row.type(stack, 'State').bindTo(fn);
  const template = templateOf(stack);
  const [[id, table] = ['', undefined]] = Object.entries(template.Resources).filter(
    ([, { Type }]) => Type === 'AWS::DynamoDB::Table',
  );
  expect(table).toMatchObject({
    DeletionPolicy: row.deletion,
    UpdateReplacePolicy: row.deletion,
    Properties: {
      ...row.recovery,
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      BillingMode: 'PAY_PER_REQUEST',
      SSESpecification: { SSEEnabled: true },
    },
  });
  expect(table?.Properties.GlobalSecondaryIndexes).toEqual(row.indexes);
  expect(table?.Properties.TableName).toBeUndefined();
  expect(propertiesOf(template, 'AWS::Lambda::Function')).toMatchObject([
    { Environment: { Variables: { [row.variable]: { Ref: id } } } },
  ]);
  const actions = actionsOn(template, 'dynamodb');
  expect(actions).toContain('dynamodb:GetItem');
  expect(actions.filter((action) => /Scan|Describe|Batch(?!Get)|Transact|\*/.test(action))).toEqual([]);
});

it('grants only the requested access', () => {
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', { code });
  new JobsTable(stack, 'State').bindTo(fn, { access: TableAccess.READ });
  expect(actionsOn(templateOf(stack), 'dynamodb')).toEqual([
    'dynamodb:BatchGetItem',
    'dynamodb:GetItem',
    'dynamodb:Query',
  ]);
});

it('a rate-limit table accepts warm throughput', () => {
  const stack = newStack();
  new RateLimitTable(stack, 'Limits', { warmReadUnits: 50_000, warmWriteUnits: 40_000 });
  expect(propertiesOf(templateOf(stack), 'AWS::DynamoDB::Table')).toMatchObject([
    { WarmThroughput: { ReadUnitsPerSecond: 50_000, WriteUnitsPerSecond: 40_000 } },
  ]);
});
