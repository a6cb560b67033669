import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildAPIGatewayV2Request, buildQueueEvent, buildTopicEvent } from '@sallyport/testkit/events';
import type { InvocationRecord } from '../src/internal/journal/journal.js';
import { ShownRecord } from '../src/internal/journal/shown-record.js';
import { saveTest } from '../src/internal/recordings/save-test.js';
import { createProject, type Project } from './support/run.js';

/** A service that returns new ids and times, the id of the invocation, and one value of its event. */
const ENTRY = `
import { randomUUID } from 'node:crypto';
export const handler = async (event, { awsRequestId, invokedFunctionArn = '' }) => {
  if (event.fails) throw new Error('not repaired');
  if (event.requestContext) {
    const body = { id: randomUUID(), at: new Date().toISOString(), path: event.rawPath, list: [{ n: 1, 'a-b': Date.now() }] };
    return { statusCode: 201, body: JSON.stringify(body) };
  }
  if (event.alias) return { alias: invokedFunctionArn.split(':')[7] };
  if (event.Records?.[0].Sns) return undefined;
  if (event.Records) return { batchItemFailures: [] };
  return { by: awsRequestId, key: randomUUID(), n: event.n };
};
`;

let project: Project;
beforeEach(() => {
  project = createProject({ 'src/lambda.mjs': ENTRY });
});
afterEach(() => project.remove());

function record(members: Partial<InvocationRecord>): InvocationRecord {
  const shown = new ShownRecord({ clean: (value) => value, failuresOf: () => [] });
  const usual = { id: 12, requestId: '0b0e6a1c-1111-4222-8333-444455556666', ms: 3, status: 'ok' } as const;
  shown.apply({ id: 12, members: { ...usual, origin: { kind: 'queue', target: 'orders' }, ...members }, added: {} });
  return shown.get();
}

const save = (members: Partial<InvocationRecord>) =>
  saveTest(record(members), {
    folder: project.folder,
    entry: join(project.folder, 'src/lambda.mjs'),
    handler: 'handler',
    name: 'service',
    others: [],
  });
const read = (file: string) => readFileSync(join(project.folder, file), 'utf8');
/** The exit code of Node's test runner. */
const run = (...files: readonly string[]) =>
  spawnSync(process.execPath, ['--test', ...files], { cwd: project.folder, env: {} }).status;
const queueEvent = buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [{ body: { id: 'A-1' } }]);
const CREATED = {
  statusCode: 201,
  body: '{"id":"3f2b8c1e-9d4a-4e6b-8f10-2a7c5d9e0b13","at":"2026-11-28T10:00:00.000Z","path":"/notes","list":[{"n":1,"a-b":1795879410517}]}',
};

const PASSING: readonly (readonly [what: string, members: Partial<InvocationRecord>, expected: string])[] = [
  [
    'a request whose response has a new id and times',
    { event: buildAPIGatewayV2Request('POST', '/notes', {}), answer: CREATED },
    'assert.deepEqual(body, {"id":body.id,"at":body.at,"path":"/notes","list":[{"n":1,"a-b":body.list[0]["a-b"]}]});',
  ],
  [
    'an event whose response has the id of the invocation',
    {
      event: { n: 7 },
      answer: { by: '0b0e6a1c-1111-4222-8333-444455556666', key: 'b1946ac92492d2347c6235b4d2611184', n: 7 },
    },
    'assert.deepEqual(result, {"by":"request-id","key":result.key,"n":7});',
  ],
  [
    'a batch',
    { event: queueEvent, answer: { batchItemFailures: [] } },
    'assert.deepEqual(answer, {"batchItemFailures":[]});',
  ],
  [
    'a batch with a failed message',
    { event: queueEvent, answer: { batchItemFailures: [{ itemIdentifier: 'm-1' }] } },
    'assert.deepEqual(answer, {"batchItemFailures":[]});',
  ],
  [
    'an event without a response',
    { event: buildTopicEvent('arn:aws:sns:us-east-1:123456789012:news', [{ message: 'm' }]), answer: null },
    'assert.deepEqual(answer ?? null, null);',
  ],
  [
    'an event for an alias',
    {
      event: { alias: true },
      answer: { alias: 'orders' },
      origin: { kind: 'pipe', target: 'orders', alias: 'orders' },
    },
    "invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:service:orders',",
  ],
];

test.each(PASSING)('a saved test of %s expects what is the same in each run', (_what, members, expected) => {
  expect(read(save(members))).toContain(expected);
});

test('all of them pass', () => {
  expect(run(...PASSING.map(([, members]) => save(members)))).toBe(0);
});

test('a saved test of an invocation that threw fails until the handler is repaired', () => {
  const error = { errorType: 'Error', errorMessage: 'not repaired' };
  const file = save({ event: { fails: true }, error, status: 'failed' });
  expect(run(file)).toBe(1);
  project.write('src/lambda.mjs', ENTRY.replace('event.fails', 'event.never'));
  expect(run(file)).toBe(0);
});

test('a value that the page hides is not in the file, which names its place', () => {
  const file = save({ event: { n: 7, password: 'hunter2' }, answer: { by: 'hunter2' } });
  expect(read(file)).toContain('Replace the redacted values that the handler needs: event.password.');
  expect(read(file)).toContain('"password": "[REDACTED]"');
});

test.each([
  ['a project without tests', undefined, 'test/queue-orders-12.test.mjs'],
  ['a project with tests', 'tests', 'tests/queue-orders-12.test.mjs'],
  ['a project of Jest', '__tests__', '__tests__/queue-orders-12.test.mjs'],
])('%s has the file in the test folder that it has', (_what, folder, expected) => {
  if (folder !== undefined) mkdirSync(join(project.folder, folder));
  expect(save({ event: {} })).toBe(expected);
});

test('no file is overwritten: the next test of the same invocation has another name', () => {
  expect([save({ event: {} }), save({ event: {} })]).toEqual([
    'test/queue-orders-12.test.mjs',
    'test/queue-orders-12-2.test.mjs',
  ]);
});

test('the file of any target is in the test folder', () => {
  const file = save({ event: {}, origin: { kind: 'gateway-v2', target: 'GET /../../../etc/passwd' } });
  expect(file).toBe('test/gateway-v2-get-etc-passwd-12.test.mjs');
  expect(existsSync(join(project.folder, dirname(file)))).toBe(true);
});

test.each<readonly [what: string, members: Partial<InvocationRecord>, problem: string]>([
  ['that still runs', { ms: null }, 'invocation 12 still runs'],
  [
    'whose response was streamed',
    { client: { status: 200, headers: [], body: '', streamed: true, cut: false } },
    'the response of invocation 12 was streamed',
  ],
])('an invocation %s has no test', (_what, members, problem) => {
  expect(() => save({ event: {}, ...members })).toThrow(expect.failure('local.invalid_request', problem));
});

test('a folder that cannot be written is named', () => {
  project.write('test', 'a file');
  expect(() => save({ event: {} })).toThrow(expect.failure('local.invalid_request', 'cannot be written'));
});
