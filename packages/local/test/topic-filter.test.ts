import { buildTopicEvent, type TopicMessageAttribute } from '@sallyport/testkit/events';
import { topicFilter } from '../src/internal/services/sns/topic-filter.js';

const NEWS = 'arn:aws:sns:us-east-1:123456789012:news';
const text = (Value: string): TopicMessageAttribute => ({ Type: 'String', Value });
const number = (Value: string): TopicMessageAttribute => ({ Type: 'Number', Value });
const texts = (Value: string): TopicMessageAttribute => ({ Type: 'String.Array', Value });

/** True if a policy matches a message with one attribute, `a`, or without attributes. */
function takesAttribute(rules: readonly unknown[], a: TopicMessageAttribute | undefined): boolean {
  const messageAttributes = a ? { a } : {};
  return topicFilter('news', { filterPolicy: { a: rules } })(buildTopicEvent(NEWS, [{ messageAttributes }]));
}

// Examples of https://docs.aws.amazon.com/sns/latest/dg/string-value-matching.html and its neighbours.
describe('a policy for attributes', () => {
  test.each<[string, readonly unknown[], TopicMessageAttribute | undefined, boolean]>([
    ['exact', ['rugby', 'tennis'], text('tennis'), true],
    ['exact', ['rugby', 'tennis'], text('baseball'), false],
    ['exact, a list', ['rugby', 'tennis'], texts('["rugby","golf"]'), true],
    ['exact, a list', ['rugby', 'tennis'], texts('["baseball"]'), false],
    ['exact, a member that is null', [null], texts('[null]'), true],
    ['exact, a list that is no JSON', ['rugby'], texts('rugby'), false],
    ['anything but', [{ 'anything-but': ['rugby', 'tennis'] }], text('baseball'), true],
    ['anything but', [{ 'anything-but': ['rugby', 'tennis'] }], text('rugby'), false],
    ['anything but, a list', [{ 'anything-but': ['rugby', 'tennis'] }], texts('["rugby","baseball"]'), true],
    ['anything but, a list', [{ 'anything-but': ['rugby', 'tennis'] }], texts('["rugby"]'), false],
    ['anything but, absent', [{ 'anything-but': 'rugby' }], undefined, false],
    ['anything but a prefix', [{ 'anything-but': { prefix: 'order-' } }], text('order_number'), true],
    ['anything but a prefix', [{ 'anything-but': { prefix: 'order-' } }], text('order-cancelled'), false],
    ['ignoring case', [{ 'equals-ignore-case': 'tennis' }], text('TenNis'), true],
    ['ignoring case', [{ 'equals-ignore-case': 'tennis' }], text('rugby'), false],
    ['an address', [{ cidr: '10.0.0.0/24' }], text('10.0.0.255'), true],
    ['an address', [{ cidr: '10.0.0.0/24' }], text('10.1.1.0'), false],
    ['an address, version 6', [{ cidr: '2001:db8::/32' }], text('2001:db8:1::1'), true],
    ['an address of the other version', [{ cidr: '::/0' }], text('10.0.0.1'), false],
    ['an address, no address', [{ cidr: '10.0.0.0/24' }], text('rugby'), false],
    ['prefix', [{ prefix: 'bas' }], text('baseball'), true],
    ['prefix', [{ prefix: 'bas' }], text('rugby'), false],
    ['suffix', [{ suffix: 'ball' }], text('baseball'), true],
    ['suffix', [{ suffix: 'ball' }], text('rugby'), false],
    ['a number', [{ numeric: ['=', 301.5] }], number('3.015e2'), true],
    ['a number', [100], number('100'), true],
    ['a number in a text', [{ numeric: ['=', 100] }], text('100'), false],
    ['anything but numbers', [{ 'anything-but': [100, 500] }], number('100.1'), true],
    ['anything but numbers', [{ 'anything-but': [100, 500] }], number('100'), false],
    ['a range', [{ numeric: ['>', 0, '<=', 150] }], number('150'), true],
    ['a range', [{ numeric: ['>', 0, '<=', 150] }], number('0'), false],
    ['exists', [{ exists: true }], text('fans'), true],
    ['exists', [{ exists: true }], undefined, false],
    ['does not exist', [{ exists: false }], text('fans'), false],
    ['does not exist', [{ exists: false }], undefined, true],
    ['binary attributes are as if absent', [{ exists: true }], { Type: 'Binary', Value: 'YQ==' }, false],
    ['one of several rules', ['rugby', { prefix: 'b' }], text('baseball'), true],
  ])('%s: %j and %j: %s', (_name, rules, attribute, expected) => {
    expect(takesAttribute(rules, attribute)).toBe(expected);
  });

  test.each([
    [{ a: ['1'], b: ['2'] }, { a: '1', b: '2' }, true],
    [{ a: ['1'], b: ['2'] }, { a: '1' }, false],
    [{ $or: [{ a: ['1'] }, { b: ['2'] }] }, { b: '2' }, true],
    [{ $or: [{ a: ['1'] }, { b: ['2'] }] }, { a: '2', b: '1' }, false],
    // Not alternatives: one object alone, and names of operators. `$or` is the name of an attribute then.
    [{ $or: ['1'] }, { $or: '1' }, true],
    [{ $or: [{ prefix: 'a' }, { prefix: 'b' }] }, { $or: 'bc' }, true],
    [{}, {}, true],
  ])('%j and the attributes %j: %s', (filterPolicy, messageAttributes, expected) => {
    const event = buildTopicEvent(NEWS, [{ messageAttributes: messageAttributes as Record<string, string> }]);
    expect(topicFilter('news', { filterPolicy })(event)).toBe(expected);
  });
});

// https://docs.aws.amazon.com/sns/latest/dg/sns-message-filtering-scope.html
describe('a policy for the message', () => {
  const takes = (filterPolicy: object, message: string) =>
    topicFilter('news', { filterPolicy, filterPolicyScope: 'MessageBody' })(buildTopicEvent(NEWS, [{ message }]));

  test.each([
    [{ store: ['fans'] }, '{"store":"fans"}', true],
    [{ store: ['fans'] }, '{"store":"stars"}', false],
    [{ store: ['fans'] }, 'fans', false],
    [{ store: [{ exists: false }] }, '["fans"]', false],
    [{ interests: ['rugby'] }, '{"interests":["golf","rugby"]}', true],
    [{ order: { price: [{ numeric: ['>=', 100] }] } }, '{"order":{"price":100}}', true],
    [{ order: { price: [{ numeric: ['>=', 100] }] } }, '{"order":{"price":"100"}}', false],
    [{ order: { $or: [{ price: [1] }, { paid: [true] }] } }, '{"order":{"paid":true}}', true],
    [{ lines: { sku: ['a'], size: [2] } }, '{"lines":[{"sku":"a","size":2},{"sku":"b","size":1}]}', true],
    [{ lines: { sku: ['a'], size: [1] } }, '{"lines":[{"sku":"a","size":2},{"sku":"b","size":1}]}', false],
  ])('%j and %s: %s', (filterPolicy, message, expected) => {
    expect(takes(filterPolicy, message)).toBe(expected);
  });
});

test('without a policy all messages are taken', () => {
  expect(topicFilter('news', {})(buildTopicEvent(NEWS, [{}]))).toBe(true);
});

const many = (count: number) => Array.from({ length: count }, (_, index) => `v-${index}`);
const BODY = { filterPolicyScope: 'MessageBody' };

// https://docs.aws.amazon.com/sns/latest/dg/subscription-filter-policy-constraints.html
test.each<[string, Readonly<Record<string, unknown>>, string]>([
  ['no object', { filterPolicy: [] }, 'filterPolicy must be an object'],
  ['an unknown scope', { filterPolicyScope: 'Subject' }, 'filterPolicyScope must be MessageAttributes or MessageBody'],
  [
    'nested members',
    { filterPolicy: { a: { b: ['1'] } } },
    'filterPolicy can be nested only with the scope MessageBody',
  ],
  [
    'nested alternatives',
    { filterPolicy: { $or: [{ a: ['1'] }, { b: { c: ['1'] } }] } },
    'filterPolicy can be nested only with the scope MessageBody',
  ],
  ['no list', { filterPolicy: { a: '1' } }, 'filterPolicy.a must be an object'],
  ['no rules', { filterPolicy: { a: [] } }, 'filterPolicy.a must have at least one rule'],
  ['wildcards', { filterPolicy: { a: [{ wildcard: '*' }] } }, 'filterPolicy.a[0] must be a string, a number'],
  [
    'a suffix in anything-but',
    { filterPolicy: { a: [{ 'anything-but': { suffix: 'x' } }] } },
    'filterPolicy.a[0].anything-but must be a string, a number, a list of them, or { prefix: … }',
  ],
  [
    'a range that is turned round',
    { filterPolicy: { a: [{ numeric: ['<', 5, '>', 1] }] } },
    'filterPolicy.a[0].numeric must be [sign, number]',
  ],
  ['no network', { filterPolicy: { a: [{ cidr: '10.0.0.0/33' }] } }, 'filterPolicy.a[0].cidr must be an address'],
  [
    'six names',
    { filterPolicy: { a: [1], b: [1], c: [1], d: [1], e: [1], f: [1] } },
    'filterPolicy must have at most 5 names',
  ],
  [
    'too many combinations',
    { filterPolicy: { a: many(16), b: many(10) } },
    'filterPolicy has 160 combinations of values, at most 150 are allowed',
  ],
  [
    'too many combinations, as nested lists count more',
    { ...BODY, filterPolicy: { a: { b: { c: many(8) } }, d: { e: many(4) } } },
    'filterPolicy has 192 combinations of values, at most 150 are allowed',
  ],
])('%s: rejected', (_name, settings, message) => {
  expect(() => topicFilter('news', settings)).toThrow(expect.failure('local.usage', `topics.news: ${message}`));
});

test('a nested policy of 72 combinations is taken, as is one of 150', () => {
  const filterPolicy = { a: { b: { c: many(4) } }, d: { e: many(3) } };
  expect(topicFilter('news', { ...BODY, filterPolicy } as never)).toBeInstanceOf(Function);
  expect(topicFilter('news', { filterPolicy: { a: many(15), b: many(10) } })).toBeInstanceOf(Function);
});
