import { queueFilter, streamFilter, tableFilter } from '../src/internal/sources/record-filter.js';

/** Operators and their examples: https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html#filtering-syntax. */
describe('the rules of a pattern', () => {
  test.each([
    ['null', { id: [null] }, { id: null }, true],
    ['null', { id: [null] }, { id: '' }, false],
    ['null', { id: [null] }, {}, false],
    ['empty', { name: [''] }, { name: '' }, true],
    ['equals', { name: ['Alice'] }, { name: 'Alice' }, true],
    ['equals', { name: ['Alice'] }, { name: 'alice' }, false],
    ['equals, a number', { price: [100] }, { price: 100 }, true],
    ['equals, a number', { price: [100] }, { price: '100' }, false],
    ['equals, a boolean', { paid: [true] }, { paid: true }, true],
    ['equals, ignoring case', { name: [{ 'equals-ignore-case': 'Alice' }] }, { name: 'aLICE' }, true],
    ['and', { place: ['New York'], day: ['Monday'] }, { place: 'New York', day: 'Monday' }, true],
    ['and', { place: ['New York'], day: ['Monday'] }, { place: 'New York', day: 'Sunday' }, false],
    ['or, values', { method: ['Credit', 'Debit'] }, { method: 'Debit' }, true],
    ['or, values', { method: ['Credit', 'Debit'] }, { method: 'Cash' }, false],
    ['or, members', { $or: [{ place: ['New York'] }, { day: ['Monday'] }] }, { day: 'Monday' }, true],
    ['or, members', { $or: [{ place: ['New York'] }, { day: ['Monday'] }] }, { day: 'Sunday' }, false],
    ['or beside and', { a: [1], $or: [{ b: [2] }, { c: [3] }] }, { a: 0, b: 2 }, false],
    ['not', { weather: [{ 'anything-but': ['Raining'] }] }, { weather: 'Sunny' }, true],
    ['not', { weather: [{ 'anything-but': ['Raining'] }] }, { weather: 'Raining' }, false],
    ['not', { weather: [{ 'anything-but': 'Raining' }] }, {}, false],
    ['not, a prefix', { key: [{ 'anything-but': { prefix: 'tmp/' } }] }, { key: 'tmp/a' }, false],
    ['numeric, equals', { price: [{ numeric: ['=', 100] }] }, { price: 100 }, true],
    ['numeric, range', { price: [{ numeric: ['>', 10, '<=', 20] }] }, { price: 20 }, true],
    ['numeric, range', { price: [{ numeric: ['>', 10, '<=', 20] }] }, { price: 10 }, false],
    ['numeric, range', { price: [{ numeric: ['>', 10, '<=', 20] }] }, { price: '15' }, false],
    ['exists', { name: [{ exists: true }] }, { name: null }, true],
    ['exists', { name: [{ exists: true }] }, { other: 1 }, false],
    ['exists, of an object', { name: [{ exists: true }] }, { name: { first: 'A' } }, false],
    ['does not exist', { name: [{ exists: false }] }, { other: 1 }, true],
    ['does not exist, nested', { user: { name: [{ exists: false }] } }, { other: 1 }, true],
    ['begins with', { region: [{ prefix: 'us-' }] }, { region: 'us-east-1' }, true],
    ['begins with', { region: [{ prefix: 'us-' }] }, { region: 'eu-us-1' }, false],
    ['ends with', { file: [{ suffix: '.png' }] }, { file: 'a.png' }, true],
    ['ends with', { file: [{ suffix: '.png' }] }, { file: 'a.png.txt' }, false],
    ['nested', { order: { type: ['buy'] } }, { order: { type: 'buy' } }, true],
    ['nested, no object', { order: { type: ['buy'] } }, { order: 'buy' }, false],
    ['a list of values', { tags: ['b'] }, { tags: ['a', 'b'] }, true],
    ['a list of objects', { lines: { sku: ['b'] } }, { lines: [{ sku: 'a' }, { sku: 'b' }] }, true],
    ['a list of lists', { tags: ['b'] }, { tags: [['a'], ['b']] }, true],
    // One object of a list must have all members: https://github.com/aws/event-ruler#json-array-matching.
    ['a list of objects, all members', { lines: { sku: ['a'], size: [1] } }, { lines: [{ sku: 'a', size: 1 }] }, true],
    [
      'a list of objects, members of several',
      { lines: { sku: ['a'], size: [1] } },
      { lines: [{ sku: 'a' }, { size: 1 }] },
      false,
    ],
    ['does not exist, in a list with values', { tags: [{ exists: false }] }, { tags: ['a', {}] }, false],
    ['an own member alone', { constructor: [{ exists: true }] }, {}, false],
  ])('%s: %j and %j: %s', (_name, pattern, body, expected) => {
    expect(queueFilter('orders', [{ body: pattern }])({ body })).toBe(expected);
  });
});

// https://docs.aws.amazon.com/lambda/latest/dg/with-sqs-filtering.html
test.each([
  ['text and a pattern for text', { body: ['a text'] }, 'a text', true],
  ['text and a pattern for JSON', { body: { state: ['paid'] } }, 'a text', false],
  ['JSON and a pattern for text', { body: [{ prefix: '{' }] }, '{"state":"paid"}', false],
  ['JSON and a pattern for JSON', { body: { state: ['paid'] } }, '{"state":"paid"}', true],
])('the body of a message: %s', (_name, pattern, body, expected) => {
  expect(queueFilter('orders', [pattern])({ body })).toBe(expected);
});

test('one of several patterns is enough, and without any all records are taken', () => {
  const takes = queueFilter('orders', [{ body: { a: [1] } }, { body: { b: [1] } }]);
  expect([{ a: 1 }, { b: 1 }, { c: 1 }].map((body) => takes({ body }))).toEqual([true, true, false]);
  expect(queueFilter('orders', undefined)({ body: 'x' })).toBe(true);
});

test('the data of a data stream is decoded, the record of a table stream is unchanged', () => {
  const buys = streamFilter('clicks', [{ data: { order: { type: ['buy'] } } }]);
  expect([{ json: { order: { type: 'buy' } } }, { data: 'text' }].map((record) => buys(record as never))).toEqual([
    true,
    false,
  ]);
  const paid = tableFilter('notes', [{ eventName: ['INSERT'], dynamodb: { NewImage: { state: { S: ['paid'] } } } }]);
  const change = (eventName: string, state: string) =>
    ({ eventName, dynamodb: { Keys: { id: { S: '1' } }, NewImage: { state: { S: state } } } }) as never;
  expect([change('INSERT', 'paid'), change('MODIFY', 'paid'), change('INSERT', 'open')].map(paid)).toEqual([
    true,
    false,
    false,
  ]);
});

test.each([
  [{}, 'filters must be a list of 1 to 10 patterns'],
  [[], 'filters must be a list of 1 to 10 patterns'],
  [['{"body":[1]}'], 'filters[0] must be { "body": … }: Lambda accepts no other key'],
  [[{ messageId: ['1'] }], 'filters[0] must be { "body": … }: Lambda accepts no other key'],
  [[{ body: 'paid' }], 'filters[0].body must be an object'],
  [[{ body: {} }], 'filters[0].body must have members'],
  [[{ body: { a: [] } }], 'filters[0].body.a must have at least one rule'],
  [
    [{ body: { a: [{ wildcard: 'x*' }] } }],
    'filters[0].body.a[0] must be a string, a number, true, false, null, or { one of prefix',
  ],
  [[{ body: { a: [{ prefix: 1 }] } }], 'filters[0].body.a[0].prefix must be a string'],
  [[{ body: { a: [{ exists: 'yes' }] } }], 'filters[0].body.a[0].exists must be true or false'],
  [[{ body: { a: [{ numeric: ['>'] }] } }], 'filters[0].body.a[0].numeric must be [sign, number]'],
  [[{ body: { a: [{ numeric: ['<', 5, '>', 1] }] } }], 'filters[0].body.a[0].numeric must be [sign, number]'],
  [[{ body: { a: [{ numeric: ['~', 1] }] } }], 'filters[0].body.a[0].numeric must be [sign, number]'],
  [[{ body: { a: [{ 'anything-but': [null] }] } }], 'filters[0].body.a[0].anything-but must be a string, a number'],
  [[{ body: { $or: {} } }], 'filters[0].body.$or must be a list of patterns'],
  [[{ body: { a: ['x'.repeat(4096)] } }], 'filters[0] must have at most 4096 characters'],
])('%j is rejected', (filters, message) => {
  expect(() => queueFilter('orders', filters)).toThrow(`queues.orders: ${message}`);
});
