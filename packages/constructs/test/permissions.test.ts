/**
 * Each call that a package sends, recorded over the wire while its conformance suite runs, against the role that the constructs make for it: nothing is denied, and
 * nothing is granted in vain. What Lambda does with the role is taken from its guide.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AttributeType, type ITable, StreamViewType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Code, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Stack } from 'aws-cdk-lib/core';
import {
  ConnectionsTable,
  DataStream,
  EventBusTable,
  EventRuleTrigger,
  JobsTable,
  McpServer,
  McpTable,
  MicrovmController,
  MicrovmTable,
  ObjectBucket,
  QueueTrigger,
  RateLimitTable,
  S3Trigger,
  ServiceFunction,
  ServiceQueue,
  StreamTrigger,
  TableStreamTrigger,
  TopicTrigger,
  VectorIndex,
  WebSocketApi,
} from '../src/index.js';
import type { Deployable } from './lab/deployment/account.js';
import { compareRole } from './lab/iam/compare.js';
import { isAllowed, type PolicyStatement } from './lab/iam/decide.js';
import { recordPackages } from './lab/iam/drives.js';
import type { RecordedAccesses } from './lab/iam/expected.js';
import { TemplatePolicies } from './lab/iam/template-policies.js';
import { newFolder } from './support/folders.js';
import { newStack, templateOf } from './support/synth.js';

let recorded: RecordedAccesses;
beforeAll(async () => {
  recorded = await recordPackages();
}, 300_000);

const NOTHING = { missing: [], unused: [] };
const objects = (pattern: RegExp) => ({ FILES: (recorded.OBJECTS ?? []).filter(({ action }) => pattern.test(action)) });
const none = () => ({});

type Case = readonly [
  name: string,
  attach: (stack: Stack, fn: IFunction, key: IKey | undefined) => unknown,
  more: () => RecordedAccesses,
];
const keyed = (encryptionKey: IKey | undefined) => (encryptionKey === undefined ? {} : { encryptionKey });
const failures = (stack: Stack, key: IKey | undefined): IQueue =>
  new Queue(stack, 'Failures', key === undefined ? {} : { encryption: QueueEncryption.KMS, encryptionMasterKey: key });
const modelArn = 'arn:aws:bedrock:eu-west-1::foundation-model/amazon.titan-embed-text-v2:0';
const image = 'arn:aws:lambda:eu-west-1:123456789012:microvm-image:sandbox';

/** Each construct that grants a function something; with your key and without. */
const CONSTRUCTS: readonly Case[] = [
  ['a function alone', () => undefined, none],
  ['JobsTable', (stack, fn, key) => new JobsTable(stack, 'T', keyed(key)).bindTo(fn), none],
  ['EventBusTable', (stack, fn, key) => new EventBusTable(stack, 'T', keyed(key)).bindTo(fn), none],
  ['RateLimitTable', (stack, fn, key) => new RateLimitTable(stack, 'T', keyed(key)).bindTo(fn), none],
  ['ConnectionsTable', (stack, fn, key) => new ConnectionsTable(stack, 'T', keyed(key)).bindTo(fn), none],
  ['McpTable', (stack, fn, key) => new McpTable(stack, 'T', keyed(key)).bindTo(fn), none],
  ['MicrovmTable', (stack, fn, key) => new MicrovmTable(stack, 'T', keyed(key)).bindTo(fn), none],
  [
    'ObjectBucket',
    (stack, fn, key) =>
      new ObjectBucket(stack, 'B', keyed(key)).bindTo(fn, { variable: 'FILES', prefix: 'notes/', remove: true }),
    () => objects(/^s3:(?!.*Version)/),
  ],
  [
    'ObjectBucket with versions',
    (stack, fn, key) =>
      new ObjectBucket(stack, 'B', { versioned: true, ...keyed(key) }).bindTo(fn, { variable: 'FILES', remove: true }),
    () => objects(/^s3:/),
  ],
  [
    'VectorIndex',
    (stack, fn, key) => new VectorIndex(stack, 'V', { dimension: 1024, modelArn, ...keyed(key) }).bindTo(fn),
    none,
  ],
  [
    'McpServer',
    (stack, fn, key) =>
      new McpServer(stack, 'M', {
        fn,
        generateSecret: true,
        spillBucket: new ObjectBucket(stack, 'B', keyed(key)).bucket as IBucket,
      }),
    none,
  ],
  ['MicrovmController', (stack, fn) => new MicrovmController(stack, 'C', { fn, images: [image] }), none],
  ['WebSocketApi', (stack, fn) => new WebSocketApi(stack, 'W', { fn }), none],
  [
    'QueueTrigger',
    (stack, fn, key) => new QueueTrigger(stack, 'Q', { fn, queue: new ServiceQueue(stack, 'S', keyed(key)).queue }),
    none,
  ],
  [
    'StreamTrigger',
    (stack, fn, key) =>
      new StreamTrigger(stack, 'K', {
        fn,
        stream: new DataStream(stack, 'S', keyed(key)).stream,
        failureQueue: failures(stack, key),
      }),
    none,
  ],
  [
    'TableStreamTrigger',
    (stack, fn, key) => {
      const encryption = key === undefined ? {} : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: key };
      const table = new Table(stack, 'T', {
        partitionKey: { name: 'id', type: AttributeType.STRING },
        stream: StreamViewType.NEW_IMAGE,
        ...encryption,
      });
      return new TableStreamTrigger(stack, 'D', { fn, table: table as ITable, failureQueue: failures(stack, key) });
    },
    none,
  ],
  [
    'TopicTrigger',
    (stack, fn, key) =>
      new TopicTrigger(stack, 'N', { fn, topic: new Topic(stack, 'T'), failureQueue: failures(stack, key) }),
    none,
  ],
  [
    'EventRuleTrigger',
    (stack, fn, key) =>
      new EventRuleTrigger(stack, 'R', { fn, pattern: { source: ['a'] }, failureQueue: failures(stack, key) }),
    none,
  ],
  [
    'S3Trigger',
    (stack, fn, key) =>
      new S3Trigger(stack, 'E', {
        fn,
        bucket: new ObjectBucket(stack, 'B').bucket as IBucket,
        failureQueue: failures(stack, key),
      }),
    none,
  ],
];

describe.each([
  ['with keys of AWS', false],
  ['with your key', true],
])('%s', (_name, hasKey) => {
  it.each(CONSTRUCTS)('%s grants exactly what is used', (_construct, attach, more) => {
    const stack = newStack();
    const key = hasKey ? (new Key(stack, 'Key') as IKey) : undefined;
    const { fn } = new ServiceFunction(stack, 'Service', { code: Code.fromInline('exports.handler = 1') });
    attach(stack, fn, key);
    const policies = new TemplatePolicies(templateOf(stack) as unknown as Deployable);
    const [id = ''] = policies.ids('AWS::Lambda::Function').filter((one) => one.startsWith('Service'));
    expect(compareRole(policies, id, { ...recorded, ...more() })).toEqual(NOTHING);
  });
});

it.each([
  ['notes', 'Notes', () => ({ NOTES_BUCKET: objects(/^s3:(Put|Get)Object$/).FILES })],
  ['sandbox', 'Sandbox', none],
] as const)(
  'the function of the example %s may do exactly what it does',
  (name, stack, more) => {
    const folder = newFolder();
    const cwd = fileURLToPath(new URL(`../../../examples/${name}/`, import.meta.url));
    execFileSync(process.execPath, ['../../scripts/synth.mjs'], {
      cwd,
      env: { ...process.env, CDK_OUTDIR: folder, CDK_VALIDATION: 'false' },
    });
    const policies = new TemplatePolicies(
      JSON.parse(readFileSync(`${folder}/${stack}.template.json`, 'utf8')) as Deployable,
    );
    const [id = ''] = policies.ids('AWS::Lambda::Function').filter((one) => one.startsWith('Service'));
    expect(compareRole(policies, id, { ...recorded, ...more() })).toEqual(NOTHING);
  },
  60_000,
);

it('sees a missing and an unused action', () => {
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Service', { code: Code.fromInline('exports.handler = 1') });
  new JobsTable(stack, 'T').bindTo(fn);
  const policies = new TemplatePolicies(templateOf(stack) as unknown as Deployable);
  const [id = ''] = policies.ids('AWS::Lambda::Function');
  const [first, ...others] = recorded.FRAMEWORK_JOBS_TABLE_NAME ?? [];
  const less = compareRole(policies, id, { ...recorded, FRAMEWORK_JOBS_TABLE_NAME: others });
  expect(less).toEqual({ missing: [], unused: [expect.stringContaining(`${first?.action} on`)] });
  const scanning = compareRole(policies, id, {
    ...recorded,
    FRAMEWORK_JOBS_TABLE_NAME: [first ?? { action: '', part: '' }, ...others, { action: 'dynamodb:Scan', part: '' }],
  });
  expect(scanning).toEqual({
    missing: [expect.stringMatching(/^dynamodb:Scan on arn:aws:dynamodb:.*:table\/T/)],
    unused: [],
  });
});

const allow = (others: object): PolicyStatement => ({
  Effect: 'Allow',
  Action: 'sqs:SendMessage',
  Resource: 'arn:aws:sqs:eu-west-1:123456789012:q',
  ...others,
});
const deny = (others: object): PolicyStatement => ({ ...allow(others), Effect: 'Deny' });
const ROLE = 'arn:aws:iam::123456789012:role/r';
const REQUEST = { action: 'sqs:SendMessage', resource: 'arn:aws:sqs:eu-west-1:123456789012:q', caller: ROLE };
const root = { Principal: { AWS: 'arn:aws:iam::123456789012:root' } };

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html */
const DECISIONS: readonly (readonly [string, boolean, Parameters<typeof isAllowed>[1], object?])[] = [
  ['nothing allows', false, { identity: [] }],
  ['the role allows', true, { identity: [allow({})] }],
  ['actions are compared without regard to case', true, { identity: [allow({ Action: 'SQS:sendmessage' })] }],
  [
    'a wildcard in the action and in the resource',
    true,
    { identity: [allow({ Action: 'sqs:Send*', Resource: 'arn:aws:sqs:*:123456789012:?' })] },
  ],
  ['another resource', false, { identity: [allow({ Resource: 'arn:aws:sqs:eu-west-1:123456789012:p' })] }],
  ['a Deny wins over an Allow', false, { identity: [allow({}), deny({ Action: 'sqs:*' })] }],
  ['a Deny of the resource wins over the role', false, { identity: [allow({})], resource: [deny({ Principal: '*' })] }],
  [
    'a Deny for plain requests does not touch others',
    true,
    {
      identity: [allow({})],
      resource: [deny({ Principal: '*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } })],
    },
    { context: { 'aws:SecureTransport': 'true' } },
  ],
  [
    'the resource alone allows a role that it names',
    true,
    { identity: [], resource: [allow({ Principal: { AWS: ROLE } })] },
  ],
  ['the resource alone does not allow by naming the account', false, { identity: [], resource: [allow(root)] }],
  ['a key needs its own policy', false, { identity: [allow({})], needsResource: true }],
  [
    'a key that delegates to the account, and the role',
    true,
    { identity: [allow({})], resource: [allow(root)], needsResource: true },
  ],
  [
    'a condition that is not met',
    false,
    { identity: [allow({ Condition: { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } } })] },
  ],
  [
    'a condition that is met',
    true,
    { identity: [allow({ Condition: { StringLike: { 'aws:SourceArn': 'arn:*:x' } } })] },
    { context: { 'aws:SourceArn': 'arn:aws:x' } },
  ],
  ['NotAction names all other actions', true, { identity: [allow({ Action: undefined, NotAction: 's3:*' })] }],
  [
    'a service that the resource names',
    true,
    { identity: [], resource: [allow({ Principal: { Service: 'sns.amazonaws.com' } })] },
    { caller: 'sns.amazonaws.com' },
  ],
];
it.each(DECISIONS.map(([name, ...rest]) => ({ name, rest })))(
  'IAM: $name',
  ({ rest: [expected, policies, others = {}] }) => {
    expect(isAllowed({ ...REQUEST, ...others }, policies)).toBe(expected);
  },
);
