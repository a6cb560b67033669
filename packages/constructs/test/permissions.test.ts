/**
 * Each call that a package sends, recorded over the wire while its conformance suite runs, against the roles that the constructs make: nothing is denied, and
 * nothing is granted in vain. The requests of AWS itself are taken from its guides.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { newProject, synth } from '../../create-sallyport/test/support/projects.js';
import * as constructs from '../src/index.js';
import { createEstate } from './judges/support/estate.js';
import type { Deployable } from './lab/deployment/account.js';
import { type More, RoleComparison } from './lab/iam/compare.js';
import { recordPackages } from './lab/iam/drives.js';
import type { RecordedAccesses } from './lab/iam/expected.js';
import { GRANTS, type GrantCase, onExecution } from './lab/iam/grants.js';
import type { RequestList } from './lab/iam/requests.js';
import { TemplatePolicies } from './lab/iam/template-policies.js';
import { newFolder } from './support/folders.js';
import { newApp, newStack, templateOf } from './support/synth.js';

let recorded: RecordedAccesses;
beforeAll(async () => {
  recorded = await recordPackages();
});

const NOTHING = { missing: [], unused: [] };

/** The roles of a stack with one construct. */
function policiesOf({ attach, props }: GrantCase, hasKey: boolean): TemplatePolicies {
  const stack = newStack();
  const key = hasKey ? new Key(stack, 'Key') : undefined;
  const code = Code.fromInline('exports.handler = 1');
  const service = new constructs.ServiceFunction(stack, 'Service', { code, ...props?.(stack, key) });
  attach(stack, service, key);
  return new TemplatePolicies(templateOf(stack) as unknown as Deployable);
}

const ONES = GRANTS.map((one) => ({ ...one, of: one.name }));

describe.each([
  ['with keys of AWS', false],
  ['with your key', true],
])('%s', (_name, hasKey) => {
  it.each(ONES)('$of grants exactly what is used', (one) => {
    const { uses = () => ({}) } = one;
    expect(new RoleComparison(policiesOf(one, hasKey), recorded, uses(recorded)).result()).toMatchObject(NOTHING);
  });
});

it('a role that may answer callbacks can cancel no execution, and a role that may cancel can stop none', () => {
  const [durable] = GRANTS.filter(({ name }) => name.startsWith('ServiceFunction that is durable'));
  const policies = policiesOf(durable as GrantCase, false);
  const uses = { Answerer: onExecution(recorded.EXECUTION_CANCEL), Canceller: onExecution(recorded.EXECUTION_STOP) };
  const denied = new RoleComparison(policies, recorded, uses).result().missing.map((one) => one.split(' on ')[0]);
  expect(denied).toEqual([
    expect.stringMatching(/^Answerer\w+: lambda:GetDurableExecution$/),
    expect.stringMatching(/^Answerer\w+: lambda:GetDurableExecutionHistory$/),
    expect.stringMatching(/^Canceller\w+: lambda:StopDurableExecution$/),
  ]);
});

/** Requests that a stack with all constructs does not show: the objects that the application uses, and the gateway of another stack. */
const USES: Readonly<Record<string, More>> = {
  ApiRole: (list) => {
    for (const action of ['s3:PutObject', 's3:GetObject'])
      for (const id of list.policies.ids('AWS::S3::Bucket').filter((one) => one.startsWith('Uploads')))
        list.add(action, `${list.policies.arnOf(id)}/a/key`);
  },
  ExportsRole: (list) => {
    const fn = list.policies.ids('AWS::Lambda::Function').find((id) => id.startsWith('Exports')) ?? '';
    list.add('lambda:InvokeFunction', `${list.policies.arnOf(fn)}:1`);
  },
  GatewayRole: (list) => {
    for (const id of list.policies.ids('AWS::Lambda::Alias').filter((one) => one.startsWith('Tools')))
      list.add('lambda:InvokeFunction', list.policies.arnOf(id));
  },
};

/** The stacks with all constructs. The model has one region. */
function estate(): ReadonlyMap<string, RoleComparison> {
  const app = newApp();
  createEstate(app);
  const comparisons = app.synth().stacks.map(({ stackName, template }) => {
    const text = JSON.stringify(template).replaceAll('us-east-1', 'eu-west-1');
    const policies = new TemplatePolicies(JSON.parse(text) as Deployable);
    return [stackName, new RoleComparison(policies, recorded, USES)] as const;
  });
  return new Map(comparisons);
}

it('all constructs together grant exactly what is used, and each removed action is found', () => {
  const comparisons = estate();
  const results = [...comparisons].map(([name, comparison]) => [name, comparison.result()]);
  expect(Object.fromEntries(results)).toEqual({
    Edge: { ...NOTHING, roles: 4 },
    Estate: { ...NOTHING, roles: 18 },
    Production: { ...NOTHING, roles: 6 },
  });
  const removals = [...comparisons.values()].map((comparison) => comparison.unnoticed());
  expect(removals.reduce((sum, { removed }) => sum + removed, 0)).toBeGreaterThan(150);
  expect(removals.flatMap(({ unnoticed }) => unnoticed)).toEqual([]);
});

/** Constructs that create others of this package and grant nothing themselves; their templates are compared in the examples and templates. */
const COMPOSED = ['ApiGatewayAccount', 'Service', 'ServiceDashboard', 'ServiceWiring', 'StateTable'];

it('the comparison has every exported construct', () => {
  const text = ['./judges/support/estate.ts', './lab/iam/grants.ts']
    .map((file) => readFileSync(fileURLToPath(new URL(file, import.meta.url)), 'utf8'))
    .join('\n');
  const all = Object.entries(constructs).flatMap(([name, one]) =>
    typeof one === 'function' && one.prototype instanceof Construct ? [name] : [],
  );
  expect(all.length).toBeGreaterThan(40);
  expect(all.filter((name) => !text.includes(`new ${name}(`))).toEqual(COMPOSED);
});

it.each([
  ['notes', 'Notes', ['GetItem', 'PutItem', 'DeleteItem', 'Query'], ['PutObject', 'GetObject']],
  ['sandbox', 'Sandbox', [], []],
] as const)('the roles of the example %s may do exactly what they do', (name, stack, items, objects) => {
  const outdir = newFolder();
  const cwd = fileURLToPath(new URL(`../../../examples/${name}/`, import.meta.url));
  const env = { ...process.env, CDK_OUTDIR: outdir, CDK_VALIDATION: 'false' };
  execFileSync(process.execPath, ['../../scripts/synth.mjs'], { cwd, env });
  const template = JSON.parse(readFileSync(`${outdir}/${stack}.template.json`, 'utf8')) as Deployable;
  const find =
    ({ policies }: RequestList) =>
    (type: string, id: RegExp) =>
      policies.arnOf(policies.ids(type).find((one) => id.test(one)) ?? '');
  const service: More = (list) => {
    const arnOf = find(list);
    for (const action of objects) list.add(`s3:${action}`, `${arnOf('AWS::S3::Bucket', /^Attachments/)}/notes/key`);
    for (const action of items) list.add(`dynamodb:${action}`, arnOf('AWS::DynamoDB::Table', /^Notes/));
  };
  const exports: More = (list) => {
    const arnOf = find(list);
    list.add('dynamodb:Query', arnOf('AWS::DynamoDB::Table', /^Notes/));
    list.add('s3:PutObject', `${arnOf('AWS::S3::Bucket', /^Attachments/)}/exports/key`);
    list.add('sqs:SendMessage', arnOf('AWS::SQS::Queue', /^Approvals[0-9A-F]{8}$/));
    list.add('lambda:InvokeFunction', `${arnOf('AWS::Lambda::Function', /^Exports/)}:1`);
  };
  const uses = { ServiceFunctionRole: service, ExportsFunctionRole: exports };
  expect(new RoleComparison(new TemplatePolicies(template), recorded, uses).result()).toMatchObject(NOTHING);
});

it.each(['api', 'events', 'graphql', 'websocket', 'mcp', 'full'] as const)(
  'the roles of the template %s may do exactly what they do',
  async (name) => {
    const { status, template } = await synth(newProject(name), { STAGE: 'production' });
    expect(status).toBe(0);
    const comparison = new RoleComparison(new TemplatePolicies(template as Deployable), recorded);
    expect(comparison.result()).toMatchObject(NOTHING);
  },
);

it('a role with another statement, another key or another principal is found', () => {
  const policies = policiesOf(GRANTS.find(({ name }) => name === 'ScheduleTrigger') as GrantCase, true);
  const change = (type: string, edit: (properties: Record<string, unknown>) => object) => {
    const Resources = Object.entries(policies.template.Resources).map(([id, one]) => [
      id,
      one.Type === type && id.startsWith('R') ? { ...one, Properties: edit({ ...one.Properties }) } : one,
    ]);
    const changed = new TemplatePolicies({ Resources: Object.fromEntries(Resources) });
    return new RoleComparison(changed, recorded).result();
  };
  const statement = { Effect: 'Allow', Action: 'sqs:DeleteMessage', Resource: '*' };
  const extra = change('AWS::IAM::Policy', ({ PolicyDocument, ...rest }) => ({
    ...rest,
    PolicyDocument: { Statement: [...(PolicyDocument as { Statement: object[] }).Statement, statement] },
  }));
  expect(extra).toMatchObject({
    missing: [],
    unused: [expect.stringMatching(/sqs:DeleteMessage on \*$/), expect.anything()],
  });
  const trust = {
    Statement: [{ ...statement, Action: 'sts:AssumeRole', Principal: { Service: 'sns.amazonaws.com' } }],
  };
  expect(change('AWS::IAM::Role', (rest) => ({ ...rest, AssumeRolePolicyDocument: trust })).missing).toEqual([
    expect.stringMatching(/^RRole\w+: sts:AssumeRole by scheduler\.amazonaws\.com$/),
  ]);
  const bare = change('AWS::IAM::Policy', ({ PolicyDocument, ...rest }) => ({
    ...rest,
    PolicyDocument: {
      Statement: (PolicyDocument as { Statement: { Action: unknown }[] }).Statement.filter(
        ({ Action }) => !JSON.stringify(Action).includes('kms:'),
      ),
    },
  }));
  expect(bare.missing).toEqual([
    expect.stringMatching(/kms:GenerateDataKey on arn:aws:kms:/),
    expect.stringMatching(/kms:Decrypt on arn:aws:kms:/),
  ]);
});
