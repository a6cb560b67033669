import { buildEventBusEvent } from '@sallyport/testkit/events';
import { ruleFilter } from '../src/internal/services/events/rule-filter.js';

/** True if a rule with a pattern for `detail.a` matches an event. */
function takesDetail(rules: readonly unknown[], detail: object): boolean {
  const pattern = { detail: { a: rules } };
  return ruleFilter('default', [{ pattern }])(buildEventBusEvent({ detail }), [{}]);
}

// Examples of https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html.
describe('the pattern of a rule', () => {
  test.each<[string, readonly unknown[], object, boolean]>([
    ['equals', ['Alice'], { a: 'Alice' }, true],
    ['equals', ['Alice'], { a: 'alice' }, false],
    ['empty', [''], { a: '' }, true],
    ['null', [null], { a: null }, true],
    ['null', [null], {}, false],
    ['ignoring case', [{ 'equals-ignore-case': 'alice' }], { a: 'ALICE' }, true],
    ['anything but', [{ 'anything-but': 'initializing' }], { a: 'running' }, true],
    ['anything but', [{ 'anything-but': ['stopped', 'overloaded'] }], { a: 'stopped' }, false],
    ['anything but numbers', [{ 'anything-but': [100, 200] }], { a: 300 }, true],
    ['anything but a prefix', [{ 'anything-but': { prefix: 'us-' } }], { a: 'us-east-1' }, false],
    ['anything but prefixes', [{ 'anything-but': { prefix: ['us-', 'eu-'] } }], { a: 'eu-west-1' }, false],
    ['anything but a suffix', [{ 'anything-but': { suffix: '.png' } }], { a: 'a.jpg' }, true],
    ['anything but, ignoring case', [{ 'anything-but': { 'equals-ignore-case': 'x' } }], { a: 'X' }, false],
    ['anything but a wildcard', [{ 'anything-but': { wildcard: '*/lib/*' } }], { a: '/usr/lib/x' }, false],
    ['prefix', [{ prefix: 'us-' }], { a: 'us-east-1' }, true],
    ['prefix, ignoring case', [{ prefix: { 'equals-ignore-case': 'EventB' } }], { a: 'eventbridge' }, true],
    ['suffix', [{ suffix: '.png' }], { a: 'a.png.txt' }, false],
    ['suffix, ignoring case', [{ suffix: { 'equals-ignore-case': 'tBridge' } }], { a: 'EventBRIDGE' }, true],
    ['suffix, ignoring case', [{ suffix: { 'equals-ignore-case': 'tBridge' } }], { a: 7 }, false],
    ['a number', [{ numeric: ['=', 3.018e2] }], { a: 301.8 }, true],
    ['a range', [{ numeric: ['>', 10, '<=', 20] }], { a: 10 }, false],
    ['an address', [{ cidr: '10.0.0.0/24' }], { a: '10.0.0.24' }, true],
    ['an address', [{ cidr: '10.0.0.0/24' }], { a: '10.0.1.24' }, false],
    ['exists', [{ exists: true }], { a: 0 }, true],
    ['does not exist, as it is no leaf', [{ exists: false }], { a: { b: 1 } }, true],
    ['does not exist', [{ exists: false }], { a: [1] }, false],
    ['a list', ['x', 'y'], { a: ['z', 'y'] }, true],
    ['a list', ['x', 'y'], { a: ['z'] }, false],
    ['a list of lists', ['x'], { a: [['z'], ['x']] }, true],
    ['wildcard', [{ wildcard: 'dir/*.png' }], { a: 'dir/sub/a.png' }, true],
    ['wildcard', [{ wildcard: 'dir/*.png' }], { a: 'dir/.png' }, true],
    ['wildcard', [{ wildcard: 'dir/*.png' }], { a: 'a/dir/a.png' }, false],
    ['wildcard, no overlap', [{ wildcard: 'ab*ba' }], { a: 'aba' }, false],
    ['wildcards, in their order', [{ wildcard: '*a*b*' }], { a: 'xbxa' }, false],
    ['wildcards, in their order', [{ wildcard: '*a*b*' }], { a: 'xaxb' }, true],
    ['wildcard, an asterisk', [{ wildcard: 'a\\*b' }], { a: 'a*b' }, true],
    ['wildcard, an asterisk', [{ wildcard: 'a\\*b' }], { a: 'axb' }, false],
    ['wildcard, a backslash', [{ wildcard: 'a\\\\*' }], { a: 'a\\b' }, true],
    ['wildcard, beyond the basic plane', [{ wildcard: '🚀*' }], { a: '🚀 up' }, true],
    ['wildcard, no text', [{ wildcard: '*' }], { a: 7 }, false],
  ])('%s: %j and %j: %s', (_name, rules, detail, expected) => {
    expect(takesDetail(rules, detail)).toBe(expected);
  });

  test.each([
    [{ source: ['billing'], 'detail-type': ['InvoicePaid'] }, true],
    [{ source: ['billing'], 'detail-type': ['InvoiceSent'] }, false],
    [{ source: [{ prefix: 'bill' }], account: ['123456789012'] }, true],
    [{ $or: [{ source: ['shipping'] }, { detail: { total: [{ numeric: ['>', 10] }] } }] }, true],
    [{ $or: [{ source: ['shipping'] }, { detail: { total: [{ numeric: ['>', 12] }] } }] }, false],
    [{ resources: ['arn:b'] }, true],
    [{ detail: { lines: { sku: ['a'], size: [2] } } }, true],
    [{ detail: { lines: { sku: ['a'], size: [1] } } }, false],
  ])('%j: %s', (pattern, expected) => {
    const lines = [
      { sku: 'a', size: 2 },
      { sku: 'b', size: 1 },
    ];
    const event = buildEventBusEvent({
      source: 'billing',
      detailType: 'InvoicePaid',
      resources: ['arn:a', 'arn:b'],
      detail: { total: 12, lines },
    });
    expect(ruleFilter('default', [{ pattern }])(event, [{}])).toBe(expected);
  });
});

describe('which rules count', () => {
  const event = buildEventBusEvent({ source: 'billing', detailType: 'InvoicePaid', detail: { total: 12 } });
  const large = { pattern: { detail: { total: [{ numeric: ['>', 100] }] } } };
  const small = { pattern: { detail: { total: [{ numeric: ['<', 100] }] } } };
  const BILLING = { source: 'billing' };

  test.each([
    ['without rules every event is taken', undefined, [BILLING], true],
    ['one rule is enough', [large, small], [BILLING], true],
    ['none takes it', [large], [BILLING], false],
    ['a rule of another handler does not count', [{ ...large, selector: { source: 'shipping' } }], [BILLING], true],
    ['the rule of its handler counts', [{ ...large, selector: BILLING }], [BILLING], false],
    [
      'one of two handlers is enough',
      [
        { ...large, selector: BILLING },
        { ...small, selector: {} },
      ],
      [BILLING, {}],
      true,
    ],
    ['of a handler that is not known all rules count', [{ ...large, selector: BILLING }], [], false],
  ])('%s', (_name, rules, selectors, expected) => {
    expect(ruleFilter('default', rules)(event, selectors as readonly Record<string, string>[])).toBe(expected);
  });
});

test.each<[string, unknown, string]>([
  ['no list', {}, 'rules must be a list of { pattern } objects'],
  ['a pattern alone', [{ source: ['billing'] }], 'rules[0] must be { pattern, selector? }'],
  ['no object', [{ pattern: '{}' }], 'rules[0].pattern must be an object'],
  ['nothing', [{ pattern: {} }], 'rules[0].pattern must have members'],
  ['a value that is no list', [{ pattern: { source: 'billing' } }], 'rules[0].pattern.source must be an object'],
  ['an unknown operator', [{ pattern: { a: [{ like: 'x' }] } }], 'rules[0].pattern.a[0] must be a string, a number'],
  [
    'two * in succession',
    [{ pattern: { a: [{ wildcard: 'a**' }] } }],
    'rules[0].pattern.a[0].wildcard must not have two * in succession',
  ],
  [
    'a backslash before another character',
    [{ pattern: { a: [{ wildcard: 'a\\b' }] } }],
    'rules[0].pattern.a[0].wildcard can have a backslash only before',
  ],
  [
    'a list of texts and numbers',
    [{ pattern: { a: [{ 'anything-but': ['a', 1] }] } }],
    'rules[0].pattern.a[0].anything-but must be a list of strings or a list of numbers',
  ],
  [
    'a number beyond the limit',
    [{ pattern: { a: [{ numeric: ['<', 5_000_000_001] }] } }],
    'rules[0].pattern.a[0].numeric must have numbers from -5000000000 to 5000000000',
  ],
  [
    'a prefix of something else',
    [{ pattern: { a: [{ prefix: { suffix: 'a' } }] } }],
    'rules[0].pattern.a[0].prefix must be a string or { equals-ignore-case: string }',
  ],
  [
    'too many characters',
    [{ pattern: { a: ['x'.repeat(4096)] } }],
    'rules[0].pattern must have at most 4096 characters',
  ],
])('%s: rejected', (_name, rules, message) => {
  expect(() => ruleFilter('default', rules)).toThrow(expect.failure('local.usage', `buses.default: ${message}`));
});
