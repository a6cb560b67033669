import { overlaps, textOf } from '../src/doctor/internal/patterns.js';
import { missingActions, type Statement, statementsOf } from '../src/doctor/internal/statements.js';

test.each<readonly [string, string, boolean]>([
  ['', '', true],
  ['*', '', true],
  ['a', '', false],
  ['arn:aws:sqs:*:*:orders', 'arn:*:sqs:eu-west-1:123456789012:orders', true],
  ['arn:aws:sqs:*:*:orders', '*orders*', true],
  ['arn:aws:sqs:eu-west-1:123456789012:refunds', '*orders*', false],
  ['arn:aws:s3:::uploads/*', 'arn:aws:s3:::uploads/incoming/*', true],
  ['arn:aws:s3:::uploads/?', 'arn:aws:s3:::uploads/ab', false],
  ['table/orders', 'table/Orders', false],
  [`${'*a'.repeat(60)}b`, `${'*a'.repeat(60)}c`, false],
])('overlaps(%j, %j) is %p', (a, b, isOverlapping) => {
  expect(overlaps(a, b)).toBe(isOverlapping);
  expect(overlaps(b, a)).toBe(isOverlapping);
});

const physicalOf = (id: string) =>
  ({ Orders: 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders', Topic: 'arn:aws:sns:eu-west-1:1:paid' })[id];

test.each<readonly [unknown, string]>([
  ['arn:aws:s3:::uploads', 'arn:aws:s3:::uploads'],
  [{ Ref: 'Topic' }, 'arn:aws:sns:eu-west-1:1:paid'],
  [{ Ref: 'AWS::Region' }, '*'],
  [{ 'Fn::GetAtt': ['Orders', 'Arn'] }, '*orders*'],
  [{ 'Fn::GetAtt': 'Orders.Arn' }, '*orders*'],
  [{ 'Fn::GetAtt': ['Unknown', 'Arn'] }, '*'],
  [{ 'Fn::Join': ['/', [{ 'Fn::GetAtt': ['Orders', 'Arn'] }, 'index']] }, '*orders*/index'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of Fn::Sub
  [{ 'Fn::Sub': 'arn:${AWS::Partition}:s3:::${Bucket}/a' }, 'arn:*:s3:::*/a'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of Fn::Sub
  [{ 'Fn::Sub': ['${Orders.Arn}', {}] }, '*orders*'],
  [{ 'Fn::ImportValue': 'x' }, '*'],
  [undefined, '*'],
])('%j is the pattern %j', (value, pattern) => {
  expect(textOf(value, physicalOf)).toBe(pattern);
});

const statement = (given: object): Statement => {
  const [one] = statementsOf({ Statement: given }, physicalOf);
  if (!one) throw new Error('there is no statement');
  return one;
};
const WANTED = statement({ Effect: 'Allow', Action: ['s3:GetObject', 's3:PutObject'], Resource: 'arn:aws:s3:::a/*' });

test.each<readonly [string, object, readonly string[]]>([
  ['one of two actions', { Effect: 'Allow', Action: 's3:Get*', Resource: '*' }, ['s3:PutObject']],
  ['another service', { Effect: 'Allow', Action: 'sqs:*', Resource: '*' }, ['s3:GetObject', 's3:PutObject']],
  ['all actions but one', { Effect: 'Allow', NotAction: 's3:PutObject', Resource: '*' }, ['s3:PutObject']],
  ['no statement', {}, ['s3:GetObject', 's3:PutObject']],
  [
    'a condition that the template does not have, which is compared separately,',
    { Effect: 'Allow', Action: 's3:Get*', Resource: '*', Condition: { Bool: { 'aws:SecureTransport': 'true' } } },
    ['s3:PutObject'],
  ],
])('a policy with %s lacks actions', (_, given, missing) => {
  expect(missingActions(WANTED, [statement(given)])).toEqual(missing);
});

test.each<readonly [string, object]>([
  ['a denial', { Effect: 'Deny', Action: 's3:*', Resource: '*' }],
  ['an exception', { Effect: 'Allow', NotAction: 's3:*', Resource: '*' }],
  ['a computed action', { Effect: 'Allow', Action: { Ref: 'Action' }, Resource: '*' }],
  ['a computed statement', { 'Fn::If': ['IsLive', {}, {}] }],
])('%s of the template is not compared', (_, given) => {
  expect(missingActions(statement(given), [])).toEqual([]);
});
