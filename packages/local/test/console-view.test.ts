import { toOptions } from '../console/parts/form-values.js';
import {
  duration,
  errorText,
  matches,
  neighbour,
  nextSteps,
  toneOf,
  until,
  whatNext,
  wordsOf,
} from '../console/parts/view.js';

const row = (members: object) =>
  ({
    id: 241,
    kind: 'queue',
    origin: { kind: 'queue', target: 'orders', as: 'ada' },
    status: 'ok',
    summary: 'ok',
    requestId: 'r-1',
    changes: [],
    failures: [],
    ...members,
  }) as never;

it.each([
  ['', {}, true],
  ['queue', {}, true],
  ['queue !ok', {}, false],
  ['queue !ok', { summary: '1 of 2 failed' }, true],
  ['ORDERS ada', {}, true],
  ['#241', {}, true],
  ['failed', { summary: '401' }, true],
  ['failed', { summary: '200' }, false],
  ['!ok', { origin: { kind: 'queue', target: 'tokens' }, status: 'failed', summary: 'Error' }, true],
  ['!', {}, true],
  ['stream', {}, false],
  ['outer inner', { failures: [{ message: 'Outer failed', causes: [{ message: 'inner' }] }] }, true],
])('the filter %j accepts %j: %s', (filter, members, expected) => {
  expect(matches(row(members), filter)).toBe(expected);
});

it('what the host found in the whole record matches, unless a word is unwanted', () => {
  expect(matches(row({}), 'chatty', true)).toBe(true);
  expect(matches(row({}), 'chatty !orders', true)).toBe(false);
  expect(wordsOf(' Chatty  !ok ! x')).toEqual({ included: ['chatty', 'x'], excluded: ['ok'] });
});

it.each([
  ['running', '', 'busy'],
  ['ok', '201', 'good'],
  ['ok', '404', 'warn'],
  ['ok', '500', 'bad'],
  ['ok', '1 of 2 failed', 'warn'],
  ['failed', 'Runtime.ExitError', 'bad'],
] as const)('%s %s looks %s', (status, summary, tone) => {
  expect(toneOf({ status, summary })).toBe(tone);
});

it('shows times in a short form', () => {
  expect([duration(null), duration(7.6), duration(1234)]).toEqual(['', '8 ms', '1.2 s']);
  expect([until(24_000, 0), until(65_000, 0), until(0, 5)]).toEqual(['24 s', '1 min 5 s', 'now']);
});

it('a record that waits is returned, or becomes a dead letter when it was delivered often enough', () => {
  expect(whatNext({ deliveries: 1, until: 24_000 }, 3, 0)).toBe('back in 24 s, delivery 2 of 3');
  expect(whatNext({ deliveries: 3, until: 24_000 }, 3, 0)).toBe('a dead letter in 24 s, after delivery 3 of 3');
});

it('of each record the last change counts', () => {
  const changes = [
    { source: 'queue orders', recordId: 'a', state: 'in-flight' },
    { source: 'queue orders', recordId: 'b', state: 'in-flight' },
    { source: 'queue orders', recordId: 'a', state: 'delayed' },
  ];
  expect(nextSteps(row({ changes })).map(({ recordId, state }) => `${recordId} ${state}`)).toEqual([
    'a delayed',
    'b in-flight',
  ]);
});

const FIELDS = [
  { name: 'body', type: 'json', required: true, wanted: 'the message' },
  { name: 'groupId', type: 'text', required: false, wanted: '' },
  { name: 'headers', type: 'map', required: false, wanted: '' },
  { name: 'cookies', type: 'list', required: false, wanted: '' },
] as const;

it('what was typed becomes the options of a builder', () => {
  const typed = { body: '{"id":1}', groupId: ' ', headers: 'a: 1\nb: x:y\na: 2\n', cookies: 'c=1\n\nd=2' };
  expect(toOptions(FIELDS, typed)).toEqual({
    body: { id: 1 },
    headers: { a: ['1', '2'], b: 'x:y' },
    cookies: ['c=1', 'd=2'],
  });
});

it.each([
  [{}, 'body is needed: the message'],
  [{ body: '{' }, 'body is not JSON'],
  [{ body: '1', headers: 'nothing' }, 'headers: enter one "name: value" per line'],
])('%j is rejected with %j', (typed, message) => {
  expect(() => toOptions(FIELDS, typed)).toThrow(message);
});

it.each([
  [['a', 'b', 'c'], 'a', 1, 'b'],
  [['a', 'b', 'c'], 'b', -1, 'a'],
  [['a', 'b', 'c'], 'c', 1, 'c'],
  [['a', 'b', 'c'], 'a', -1, 'a'],
  [['a', 'b', 'c'], undefined, 1, 'a'],
  [['a', 'b', 'c'], 'gone', 1, 'a'],
  [[], 'a', 1, undefined],
])('of %j the neighbour of %j by %i is %j', (members, current, by, expected) => {
  expect(neighbour<string>(members, current, by)).toBe(expected);
});

it('an error has its message once, and no frames of the runtime after those of the service', () => {
  const trace = [
    'Error: outer failed',
    '    at save (<project>/src/orders.ts:3:9)',
    '    at async inner (<project>/node_modules/driver/index.js:1:1)',
    '    at handler (<project>/src/lambda.ts:9:1)',
    '    at run (<project>/node_modules/@sallyport/local/child/callbacks.mjs:40:5)',
    '    at BufferedInvokeProcessor.processInvoke (<project>/node_modules/@sallyport/local/dist/ric/index.mjs:1:1)',
    '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
  ];
  expect(errorText({ errorType: 'Error', errorMessage: 'outer failed', trace }).split('\n')).toEqual(trace.slice(0, 4));
  expect(errorText({ errorType: 'Sandbox.Timedout', errorMessage: 'Task timed out' })).toBe(
    'Sandbox.Timedout: Task timed out',
  );
});
