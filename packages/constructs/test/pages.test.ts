import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../scripts/check/command.js';
import {
  checkDeployment,
  DEPLOYED_TABLES,
  type DeployedTable,
  renderDeployment,
} from '../../../scripts/docs/deployment.js';
import { ConnectionsTable, EventBusTable, JobsTable, McpTable, MicrovmTable, RateLimitTable } from '../src/index.js';
import { newStack, templateOf } from './support/synth.js';

/** A table as all three tools describe it. */
interface Shape {
  readonly keys: readonly string[];
  readonly attributes: readonly string[];
  readonly ttl: string;
  readonly indexes: readonly (readonly string[])[];
  readonly restorable: boolean;
}

const page = (name: string) => readFileSync(join(ROOT, 'docs', name), 'utf8');
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

function ofSchema({ schema }: DeployedTable): Shape {
  const { partitionKey, sortKey, ttlAttribute, indexes = [], removalPolicy, pointInTimeRecovery } = schema;
  const listed = indexes.map((one) => [one.name, one.partitionKey.name, ...(one.sortKey ? [one.sortKey.name] : [])]);
  const keys = [partitionKey.name, sortKey.name];
  return {
    keys,
    attributes: [...new Set([...keys, ...listed.flatMap(([, ...names]) => names)])].sort(),
    ttl: ttlAttribute,
    indexes: listed,
    restorable: pointInTimeRecovery ?? removalPolicy === 'RETAIN',
  };
}

function ofSam({ id }: DeployedTable): Shape {
  const [, text = ''] = new RegExp(`^${id}:\\n((?:  .*\\n)+)`, 'm').exec(page('deploy-sam.md')) ?? [];
  const [own = '', ...indexes] = text.split('- IndexName: ');
  const keysOf = (part: string) => all(/KeySchema: (.*)/.exec(part)?.[1] ?? '', /AttributeName: (\w+)/g);
  return {
    keys: keysOf(own),
    attributes: all(own, /AttributeName: (\w+), AttributeType: S/g).sort(),
    ttl: /TimeToLiveSpecification: \{ AttributeName: (\w+)/.exec(own)?.[1] ?? '',
    indexes: indexes.map((part) => [part.split('\n')[0] ?? '', ...keysOf(part)]),
    restorable: own.includes('PointInTimeRecoveryEnabled: true'),
  };
}

function ofTerraform({ id }: DeployedTable): Shape {
  const name = id === 'EventBus' ? 'event_bus' : id.toLowerCase();
  const [, text = ''] =
    new RegExp(`^resource "aws_dynamodb_table" "${name}" \\{\\n((?:  .*\\n)+)\\}`, 'm').exec(
      page('deploy-terraform.md'),
    ) ?? [];
  const blocks = (head: string) => all(text, new RegExp(`  ${head} \\{\\n((?:    .*\\n)+)  \\}`, 'g'));
  const value = (part: string, member: string) => all(part, new RegExp(`^ *${member} += "?([\\w-]+)"?$`, 'gm'));
  const own = text.replace(/ {2}\w+ \{\n(?: {4}.*\n)+ {2}\}\n/g, '');
  return {
    keys: [...value(own, 'hash_key'), ...value(own, 'range_key')],
    attributes: blocks('attribute')
      .flatMap((part) => value(part, 'name'))
      .sort(),
    ttl: blocks('ttl').flatMap((part) => value(part, 'attribute_name'))[0] ?? '',
    indexes: blocks('global_secondary_index').map((part) =>
      ['name', 'hash_key', 'range_key'].flatMap((one) => value(part, one)),
    ),
    restorable: blocks('point_in_time_recovery').some((part) => value(part, 'enabled')[0] === 'true'),
  };
}

const CONSTRUCTS = {
  Jobs: JobsTable,
  EventBus: EventBusTable,
  Limits: RateLimitTable,
  Connections: ConnectionsTable,
  Mcp: McpTable,
  Microvms: MicrovmTable,
};

function cdkShapes(): Readonly<Record<string, Shape>> {
  const stack = newStack();
  for (const [id, Construct] of Object.entries(CONSTRUCTS)) new Construct(stack, id);
  const named = Object.entries(templateOf(stack).Resources).map(
    ([id, { Properties }]) => [id.slice(0, -8), ofProperties(Properties as unknown as Properties)] as const,
  );
  return Object.fromEntries(named);
}

interface KeySchema {
  readonly KeySchema: readonly { readonly AttributeName: string }[];
}

interface Properties extends KeySchema {
  readonly AttributeDefinitions: readonly { readonly AttributeName: string }[];
  readonly TimeToLiveSpecification: { readonly AttributeName: string };
  readonly GlobalSecondaryIndexes?: readonly (KeySchema & { readonly IndexName: string })[];
  readonly PointInTimeRecoverySpecification: { readonly PointInTimeRecoveryEnabled: boolean };
}

function ofProperties(given: Properties): Shape {
  const keysOf = (one: KeySchema) => one.KeySchema.map(({ AttributeName }) => AttributeName);
  return {
    keys: keysOf(given),
    attributes: given.AttributeDefinitions.map(({ AttributeName }) => AttributeName).sort(),
    ttl: given.TimeToLiveSpecification.AttributeName,
    indexes: (given.GlobalSecondaryIndexes ?? []).map((one) => [one.IndexName, ...keysOf(one)]),
    restorable: given.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled,
  };
}

it('has the same tables for the CDK, SAM and Terraform as the packages use', () => {
  const cdk = cdkShapes();
  for (const table of DEPLOYED_TABLES) {
    const expected = { id: table.id, ...ofSchema(table) };
    expect(expected.keys).toEqual(['pk', 'sk']);
    expect({ id: table.id, ...cdk[table.id] }).toEqual(expected);
    expect({ id: table.id, ...ofSam(table) }).toEqual(expected);
    expect({ id: table.id, ...ofTerraform(table) }).toEqual(expected);
  }
});

it('names the variable and the actions of every table on the page of all tools', () => {
  for (const { variable, actions } of DEPLOYED_TABLES) {
    const row =
      page('deployment.md')
        .split('\n')
        .find((line) => line.includes(`\`${variable}\``)) ?? '';
    for (const action of [...actions.read, ...actions.write]) expect(row).toContain(action.replace('dynamodb:', ''));
  }
});

it('keeps an unknown part unchanged, and reports it', () => {
  const text = '<!-- deployment: other -->\nkept\n<!-- /deployment -->';
  expect(renderDeployment(text)).toBe(text);
  expect(checkDeployment(text)).toEqual(['no part other']);
});
