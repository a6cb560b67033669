/** The evaluation of policies that `permissions.test.ts` uses, with the documented cases. */
import { isAllowed, type PolicyStatement } from './lab/iam/decide.js';

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
