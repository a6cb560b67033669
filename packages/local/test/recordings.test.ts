import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadRecording } from '@sallyport/testkit/recorder';
import { createJournal } from '../src/internal/journal/ring.js';
import { findDifferences } from '../src/internal/recordings/differences.js';
import { createRecordings } from '../src/internal/recordings/recordings.js';
import { buildEvent } from '../src/internal/send/build-event.js';
import { createTestHost, type TestHost, trigger } from './support/host.js';

const SECRET = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl';

let host: TestHost;
let answer: unknown = { statusCode: 200, body: '{"id":"7"}' };

/** A run with one completed invocation that has a token, a cookie and an address. */
function record(event: unknown, reveal: boolean) {
  const journal = createJournal({ reveal, now: () => 1_000 });
  host = createTestHost(() => answer, { triggers: [trigger('queue', 'orders')], journal });
  const id = journal.open({
    requestId: 'first-request',
    traceId: '1-a',
    segment: 's',
    parent: '',
    origin: { kind: 'gateway-v2', target: 'GET /notes/7' },
    event,
  } as never);
  journal.update(id, { status: 'ok', ms: 3, answer });
  return createRecordings(host, join(host.config.stateFolder, 'recordings'));
}

const REQUEST = {
  kind: 'http',
  target: 'GET /notes/7',
  options: {
    headers: { authorization: `Bearer ${SECRET}`, 'x-mail': 'ada@example.com' },
    cookies: ['session=hunter2hunter2'],
  },
};

afterEach(() => {
  answer = { statusCode: 200, body: '{"id":"7"}' };
  host.remove();
});

describe.each([false, true])('with reveal %s', (reveal) => {
  it('a recording and a fixture have no token, no cookie and no mail address', async () => {
    const recordings = record(buildEvent(REQUEST), reveal);
    await recordings.save(1, 'recording');
    await recordings.save(1, 'fixture');
    const folder = join(host.config.stateFolder, 'recordings');
    const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
    expect(texts).toHaveLength(2);
    for (const text of texts) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain('hunter2');
      expect(text).not.toContain('ada@example.com');
    }
  });
});

it('a recording loads in the test kit, and a queue keeps its name', async () => {
  const recordings = record(buildEvent({ kind: 'queue', target: 'orders', options: { body: { id: 'o-1' } } }), false);
  const { recording } = await recordings.read(await recordings.save(1, 'recording'));
  expect(loadRecording(recording, 'queue').Records[0]?.eventSourceARN).toMatch(/^arn:aws:sqs:us-east-1:\d{12}:orders$/);
  expect(await recordings.list()).toEqual([
    {
      file: expect.stringMatching(/-queue-1\.recording\.json$/),
      kind: 'queue',
      recordedAt: '2026-11-22T10:00:00.000Z',
    },
  ]);
});

it('a replay sends the event unchanged, and lists differences of the answer', async () => {
  const recordings = record(buildEvent(REQUEST), false);
  expect(await recordings.replay({ id: 1 })).toMatchObject({ outcome: { ok: true }, differences: [] });
  expect(JSON.stringify(host.invocations[0]?.event)).toContain(SECRET);
  expect(host.invocations[0]?.options.origin).toEqual({ kind: 'replay', target: 'GET /notes/7', replayOf: 1 });
  const file = await recordings.save(1, 'recording');
  answer = { statusCode: 404, body: '{"id":"7"}' };
  expect(await recordings.replay({ file })).toMatchObject({ differences: ['$.statusCode'] });
});

it('the id of the request is not a difference', async () => {
  answer = { headers: { 'x-request-id': 'first-request' } };
  const recordings = record(buildEvent(REQUEST), false);
  answer = { headers: { 'x-request-id': 'r-1' } };
  expect(await recordings.replay({ id: 1 })).toMatchObject({ differences: [] });
});

it('an event of no kind is not recorded', async () => {
  const recordings = record({ nothing: true }, false);
  await expect(recordings.save(1, 'recording')).rejects.toMatchObject({ code: 'local.invalid_request' });
});

it.each([
  [{ a: 1 }, { a: 1 }, []],
  [{ a: 1 }, { a: 2 }, ['$.a']],
  [{ a: [1, 2] }, { a: [1, 3, 4] }, ['$.a[1]', '$.a[2]']],
  [{ a: [] }, { a: {} }, ['$.a']],
  [{ a: null }, {}, ['$.a']],
  [{}, { b: 1 }, ['$.b']],
  ['text', null, ['$']],
  ['text', 'other', ['$']],
  [{ body: '{"a":1,"b":2}' }, { body: '{"b":2,"a":3}' }, ['$.body.a']],
  [
    { body: '{"request_id":"2f31cfe4-ca8f-43ed-8389-6d56c2015b31"}', trace: '1-6b05a43f-598a58d3e12d3e886ac163b7' },
    { body: '{"request_id":"cee6d2a0-74a2-4e95-9fb4-ac5f9c92195a"}', trace: '1-6b05a453-83faac706e7f0525dc0ed22a' },
    [],
  ],
  [{ id: '2f31cfe4-ca8f-43ed-8389-6d56c2015b31' }, { id: 'other' }, ['$.id']],
])('%j and %j differ at %j', (before, now, paths) => {
  expect(findDifferences(before, now)).toEqual(paths);
});
