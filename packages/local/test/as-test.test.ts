import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildAPIGatewayV2Request, buildEventBusEvent, buildQueueEvent } from '@sallyport/testkit/events';
import { run } from './support/command.js';
import { createProject, type Project } from './support/run.js';

/** A handler that fails for an order without a price until it is repaired. */
const ENTRY = (repaired: boolean) => `
export const handler = async (event) => {
  if (event.requestContext) return { statusCode: ${repaired ? 200 : 500}, body: '{"id":"7"}' };
  if (!event.Records) return { paid: event.detail.id };
  const failed = event.Records.filter(({ body }) => JSON.parse(body).price === undefined && ${!repaired});
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};
`;
const ARN = 'arn:aws:sqs:us-east-1:123456789012:orders';

let project: Project;
beforeEach(() => {
  project = createProject({ 'src/lambda.mjs': ENTRY(false), 'sallyport.json': '{ "entry": "src/lambda.mjs" }' });
});
afterEach(() => project.remove());

const asTest = async (document: unknown, file = 'test/incident.test.mjs') => {
  project.write('event.json', JSON.stringify(document));
  return run(project, ['replay', 'event.json', '--as-test', file]);
};
/** The exit code of Node's test runner. */
const runTest = () =>
  spawnSync(process.execPath, ['--test', 'test/incident.test.mjs'], { cwd: project.folder, env: {} }).status;
const written = (file = 'test/incident.test.mjs') => readFileSync(join(project.folder, file), 'utf8');

test.each<readonly [what: string, document: unknown, title: string]>([
  [
    'a failed message',
    buildQueueEvent(ARN, [{ body: { id: 'A-1', password: 'hunter2' } }]),
    'handles a message of orders',
  ],
  [
    'a recorded request that failed',
    {
      recording: {
        recorded_at: '2026-11-22T10:00:00.000Z',
        kind: 'http',
        event: buildAPIGatewayV2Request('GET', '/notes/7', {}),
      },
      answer: { statusCode: 500, body: '{}' },
    },
    'handles GET /notes/7',
  ],
])('%s becomes a test that fails until the handler is repaired', async (_what, document, title) => {
  expect(await asTest(document)).toEqual({ code: 0, out: 'test/incident.test.mjs\n', err: '' });
  expect(written()).toContain(`test('${title}'`);
  expect(written()).not.toContain('hunter2');
  expect(runTest()).toBe(1);
  project.write('src/lambda.mjs', ENTRY(true));
  expect(runTest()).toBe(0);
});

test.each<readonly [what: string, document: unknown, expected: string]>([
  [
    'a request',
    {
      recording: { recorded_at: 'x', event: buildAPIGatewayV2Request('GET', '/a', {}) },
      answer: { statusCode: 404, body: '{"code":"a"}' },
    },
    'assert.deepEqual(answer.statusCode, 404);\n  assert.deepEqual(JSON.parse(answer.body), {"code":"a"});',
  ],
  [
    'an event',
    { recording: { recorded_at: 'x', event: buildEventBusEvent({ detail: { id: 'I-1' } }) }, answer: { paid: 'I-1' } },
    'assert.deepEqual(answer, {"paid":"I-1"});',
  ],
  [
    'an event without a response',
    buildEventBusEvent({ detail: { id: 'I-1' } }),
    '  await handler(event, context);\n});',
  ],
])('the recorded response of %s is the expected result', async (_what, document, expected) => {
  await asTest(document);
  expect(written()).toContain(expected);
});

test('names redacted values, and uses the runner and the types of the project', async () => {
  project.write(
    'package.json',
    JSON.stringify({ name: 'orders', type: 'module', devDependencies: { vitest: '3.0.0' } }),
  );
  const event = buildQueueEvent(ARN, [{ body: { id: 'A-1', password: 'hunter2' } }]);
  expect(await asTest(event, 'test/deep/incident.test.ts')).toMatchObject({ code: 0 });
  const text = written('test/deep/incident.test.ts');
  expect(text).toContain("import { expect, test } from 'vitest';");
  expect(text).toContain("import { handler } from '../../src/lambda.mjs';");
  expect(text).toContain('Replace the redacted values that the handler needs: event.Records.0.body.password.');
  expect(text).toContain('(await handler(event, context)) as unknown');
});

test.each([
  [['replay', '--as-test', 'test/a.test.ts'], 'name one file'],
  [['replay', 'package.json', '--as-test', 'a.ts'], '--as-test must name a test file'],
  [['replay', 'package.json', '--as-test', 'old.test.mjs'], 'the file old.test.mjs exists: name a new file'],
  [['replay', 'nosuch.json', '--as-test', 'a.test.ts'], 'the file nosuch.json does not exist'],
])('%j is an invalid command line', async (args, problem) => {
  project.write('old.test.mjs', '');
  const { code, err } = await run(project, args);
  expect(code).toBe(2);
  expect(err).toContain(problem);
});
