import { type PlannedInventory, planOf } from '../../packages/bundle/src/manifest/internal/plan.js';
import { samTemplate } from '../../packages/bundle/src/manifest/internal/sam.js';
import { terraformBlocks } from '../../packages/bundle/src/manifest/internal/terraform.js';
import {
  WEBSOCKET_CONNECTIONS_TABLE_ACTIONS,
  WEBSOCKET_CONNECTIONS_TABLE_NAME_ENV,
  WEBSOCKET_CONNECTIONS_TABLE_SCHEMA,
} from '../../packages/connections/src/schema.js';
import {
  EVENTBUS_TABLE_ACTIONS,
  EVENTBUS_TABLE_NAME_ENV,
  EVENTBUS_TABLE_SCHEMA,
  JOBS_TABLE_ACTIONS,
  JOBS_TABLE_NAME_ENV,
  JOBS_TABLE_SCHEMA,
} from '../../packages/jobs/src/schema.js';
import { MCP_TABLE_ACTIONS, MCP_TABLE_NAME_ENV, MCP_TABLE_SCHEMA } from '../../packages/mcp/src/schema.js';
import {
  MICROVM_TABLE_ACTIONS,
  MICROVM_TABLE_NAME_ENV,
  MICROVM_TABLE_SCHEMA,
} from '../../packages/microvm/src/schema.js';
import {
  RATE_LIMIT_TABLE_ACTIONS,
  RATE_LIMIT_TABLE_NAME_ENV,
  RATE_LIMIT_TABLE_SCHEMA,
} from '../../packages/ratelimit/src/schema.js';

/** The registrations of the pages' sample: routes, a queue and a schedule. */
const SAMPLE: PlannedInventory = {
  version: 1,
  container: 'secure',
  routes: [{ surface: 'http' }],
  triggers: [
    { kind: 'queue', name: 'orders' },
    { kind: 'event-bus', selector: { ruleName: 'nightly' } },
  ],
};

interface Key {
  readonly name: string;
}

/** A table of one package, as its `/schema` entry describes it. */
export interface DeployedTable {
  /** Name in the templates: `Jobs`. */
  readonly id: string;
  readonly package: string;
  readonly variable: string;
  readonly schema: {
    readonly partitionKey: Key;
    readonly sortKey: Key;
    readonly ttlAttribute: string;
    readonly removalPolicy: 'RETAIN' | 'DESTROY';
    readonly pointInTimeRecovery?: boolean;
    readonly indexes?: readonly { readonly name: string; readonly partitionKey: Key; readonly sortKey?: Key }[];
  };
  readonly actions: { readonly read: readonly string[]; readonly write: readonly string[] };
}

/** The tables of all packages. */
export const DEPLOYED_TABLES: readonly DeployedTable[] = [
  {
    id: 'Jobs',
    package: 'jobs',
    variable: JOBS_TABLE_NAME_ENV,
    schema: JOBS_TABLE_SCHEMA,
    actions: JOBS_TABLE_ACTIONS,
  },
  {
    id: 'EventBus',
    package: 'jobs',
    variable: EVENTBUS_TABLE_NAME_ENV,
    schema: EVENTBUS_TABLE_SCHEMA,
    actions: EVENTBUS_TABLE_ACTIONS,
  },
  {
    id: 'Limits',
    package: 'ratelimit',
    variable: RATE_LIMIT_TABLE_NAME_ENV,
    schema: RATE_LIMIT_TABLE_SCHEMA,
    actions: RATE_LIMIT_TABLE_ACTIONS,
  },
  {
    id: 'Connections',
    package: 'connections',
    variable: WEBSOCKET_CONNECTIONS_TABLE_NAME_ENV,
    schema: WEBSOCKET_CONNECTIONS_TABLE_SCHEMA,
    actions: WEBSOCKET_CONNECTIONS_TABLE_ACTIONS,
  },
  { id: 'Mcp', package: 'mcp', variable: MCP_TABLE_NAME_ENV, schema: MCP_TABLE_SCHEMA, actions: MCP_TABLE_ACTIONS },
  {
    id: 'Microvms',
    package: 'microvm',
    variable: MICROVM_TABLE_NAME_ENV,
    schema: MICROVM_TABLE_SCHEMA,
    actions: MICROVM_TABLE_ACTIONS,
  },
];

const MARKED = /<!-- deployment: (\S+) -->\n[\s\S]*?<!-- \/deployment -->/g;

/** The generated parts of pages, by the name in their marker. */
const DEPLOYMENT_PARTS: Readonly<Record<string, () => string>> = {
  tables: renderOverview,
  'sam-manifest': () => fenced('yaml', [samTemplate(planOf(SAMPLE)).trimEnd()]),
  'terraform-manifest': () => fenced('hcl', [terraformBlocks(planOf(SAMPLE)).trimEnd()]),
  'sam-tables': () => fenced('yaml', DEPLOYED_TABLES.map(samTable)),
  'sam-policies': () =>
    fenced('yaml', [['Policies:', '  - Statement:'].join('\n'), ...DEPLOYED_TABLES.map(samStatement)]),
  'terraform-tables': () => fenced('hcl', DEPLOYED_TABLES.map(terraformTable)),
  'terraform-policy': () => fenced('hcl', [terraformPolicy()]),
};

/** Replaces each part between `<!-- deployment: name -->` and `<!-- /deployment -->`. */
export function renderDeployment(text: string): string {
  return text.replace(MARKED, (whole, name: string) => {
    const part = DEPLOYMENT_PARTS[name];
    return part ? `<!-- deployment: ${name} -->\n${part()}\n<!-- /deployment -->` : whole;
  });
}

/** Markers without a part. */
export function checkDeployment(text: string): readonly string[] {
  const unknown = [...text.matchAll(MARKED)].map(([, name = '']) => name).filter((name) => !(name in DEPLOYMENT_PARTS));
  return unknown.map((name) => `no part ${name}`);
}

function fenced(language: string, parts: readonly string[]): string {
  return `\`\`\`${language}\n${parts.join('\n')}\n\`\`\``;
}

const isRetained = ({ schema }: DeployedTable) => schema.removalPolicy === 'RETAIN';
const recovers = ({ schema }: DeployedTable) => schema.pointInTimeRecovery ?? schema.removalPolicy === 'RETAIN';

/** All attributes that are keys, each once, in the order of table and indexes. */
function keysOf({ schema }: DeployedTable): readonly string[] {
  const { partitionKey, sortKey, indexes = [] } = schema;
  const all = [{ partitionKey, sortKey }, ...indexes].flatMap((one) =>
    [one.partitionKey.name, one.sortKey?.name ?? []].flat(),
  );
  return [...new Set(all)];
}

function renderOverview(): string {
  const rows = DEPLOYED_TABLES.map((table) => {
    const { schema, actions } = table;
    const keys = `\`${schema.partitionKey.name}\`, \`${schema.sortKey.name}\`; TTL \`${schema.ttlAttribute}\``;
    const indexes = (schema.indexes ?? []).map(
      ({ name, partitionKey, sortKey }) =>
        `\`${name}\` (${[partitionKey.name, sortKey?.name ?? []].flat().join(', ')})`,
    );
    const kept = `${isRetained(table) ? 'retained' : 'deleted'}${recovers(table) ? '; point-in-time recovery' : ''}`;
    const short = (list: readonly string[]) => list.map((action) => action.replace('dynamodb:', '')).join(' ');
    const cells = [
      table.package,
      `\`${table.variable}\``,
      keys,
      indexes.join(', '),
      kept,
      short(actions.read),
      short(actions.write),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head = [
    'package',
    'variable',
    'keys',
    'indexes, keys only',
    'when the stack is deleted',
    'IAM actions to read',
    'IAM actions to write',
  ];
  return [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows].join('\n');
}

function samTable(table: DeployedTable): string {
  const { id, schema } = table;
  const keySchema = (partitionKey: Key, sortKey?: Key) => {
    const keys = [`{ AttributeName: ${partitionKey.name}, KeyType: HASH }`];
    if (sortKey) keys.push(`{ AttributeName: ${sortKey.name}, KeyType: RANGE }`);
    return `KeySchema: [${keys.join(', ')}]`;
  };
  const policy = isRetained(table) ? 'Retain' : 'Delete';
  const indexes = (schema.indexes ?? []).flatMap(({ name, partitionKey, sortKey }) => [
    `      - IndexName: ${name}`,
    `        ${keySchema(partitionKey, sortKey)}`,
    '        Projection: { ProjectionType: KEYS_ONLY }',
  ]);
  return [
    `${id}:`,
    '  Type: AWS::DynamoDB::Table',
    `  DeletionPolicy: ${policy}`,
    `  UpdateReplacePolicy: ${policy}`,
    '  Properties:',
    '    BillingMode: PAY_PER_REQUEST',
    '    SSESpecification: { SSEEnabled: true }',
    `    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: ${recovers(table)} }`,
    '    AttributeDefinitions:',
    ...keysOf(table).map((name) => `      - { AttributeName: ${name}, AttributeType: S }`),
    `    ${keySchema(schema.partitionKey, schema.sortKey)}`,
    `    TimeToLiveSpecification: { AttributeName: ${schema.ttlAttribute}, Enabled: true }`,
    ...(indexes.length > 0 ? ['    GlobalSecondaryIndexes:', ...indexes] : []),
  ].join('\n');
}

function samStatement({ id, schema, actions }: DeployedTable): string {
  const indexes = (schema.indexes ?? []).map(({ name }) => `!Sub '\${${id}.Arn}/index/${name}'`);
  return [
    '      - Effect: Allow',
    `        Action: [${[...actions.read, ...actions.write].join(', ')}]`,
    `        Resource: [${[`!GetAtt ${id}.Arn`, ...indexes].join(', ')}]`,
  ].join('\n');
}

/** `EventBus` in Terraform's spelling. */
const snake = (id: string) => id.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

function terraformTable(table: DeployedTable): string {
  const { id, schema } = table;
  const block = (head: string, lines: readonly string[]) => [
    `  ${head} {`,
    ...lines.map((line) => `    ${line}`),
    '  }',
  ];
  return [
    `resource "aws_dynamodb_table" "${snake(id)}" {`,
    `  name         = "${snake(id)}"`,
    '  billing_mode = "PAY_PER_REQUEST"',
    `  hash_key     = "${schema.partitionKey.name}"`,
    `  range_key    = "${schema.sortKey.name}"`,
    ...keysOf(table).flatMap((name) => block('attribute', [`name = "${name}"`, 'type = "S"'])),
    ...block('ttl', [`attribute_name = "${schema.ttlAttribute}"`, 'enabled        = true']),
    ...block('server_side_encryption', ['enabled = true']),
    ...block('point_in_time_recovery', [`enabled = ${recovers(table)}`]),
    ...(schema.indexes ?? []).flatMap(({ name, partitionKey, sortKey }) =>
      block('global_secondary_index', [
        `name            = "${name}"`,
        `hash_key        = "${partitionKey.name}"`,
        ...(sortKey ? [`range_key       = "${sortKey.name}"`] : []),
        'projection_type = "KEYS_ONLY"',
      ]),
    ),
    ...(isRetained(table) ? block('lifecycle', ['prevent_destroy = true']) : []),
    '}',
  ].join('\n');
}

function terraformPolicy(): string {
  const statements = DEPLOYED_TABLES.map(({ id, schema, actions }) => {
    const arn = `aws_dynamodb_table.${snake(id)}.arn`;
    const indexes = (schema.indexes ?? []).map(({ name }) => `"\${${arn}}/index/${name}"`);
    const list = [...actions.read, ...actions.write].map((action) => `"${action}"`).join(', ');
    return [
      '      {',
      '        Effect   = "Allow"',
      `        Action   = [${list}]`,
      `        Resource = [${[arn, ...indexes].join(', ')}]`,
      '      },',
    ].join('\n');
  });
  return [
    'resource "aws_iam_role_policy" "tables" {',
    '  role = aws_iam_role.service.id',
    '  policy = jsonencode({',
    '    Version = "2012-10-17"',
    '    Statement = [',
    ...statements,
    '    ]',
    '  })',
    '}',
  ].join('\n');
}
