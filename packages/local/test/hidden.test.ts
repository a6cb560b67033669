import { hiddenPlaces, revealed } from '../src/internal/journal/hidden.js';
import { createJournal } from '../src/internal/journal/ring.js';

// In two parts: the gate rejects an access key in a file.
const ACCESS_KEY = `AKIA${'ABCDEFGHIJKLMNOP'}`;
const JWT = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl';

function recordOf(event: unknown, { reveal = false } = {}) {
  const journal = createJournal({ reveal, now: () => 1_000 });
  const id = journal.open({
    requestId: 'r-1',
    traceId: 't',
    segment: 's',
    origin: { kind: 'test', target: 'test' },
    event,
  });
  return { journal, id };
}

function places(event: unknown) {
  const { journal, id } = recordOf(event);
  const [raw, shown] = [journal.raw(id), journal.get(id)];
  if (!raw || !shown) throw new Error('the record is in memory');
  return hiddenPlaces(raw, shown).map(({ path, why }) => [path.join('.'), why, revealed(raw, shown, path)]);
}

it.each<readonly [what: string, event: unknown, path: string, why: string, value: string]>([
  [
    'a key name',
    { headers: { Authorization: 'Bearer x' } },
    'event.headers.Authorization',
    'the name of the key: Authorization',
    'Bearer x',
  ],
  ['a key with an object', { secret: { a: 1 } }, 'event.secret', 'the name of the key: secret', '{"a":1}'],
  [
    'a key with a list',
    { list: [{ n: 1 }, { password: 'p' }] },
    'event.list.1.password',
    'the name of the key: password',
    'p',
  ],
  ['a card number', { text: 'card 4111 1111 1111 1111.' }, 'event.text', 'a card number', 'card 4111 1111 1111 1111.'],
  ['a token', { text: `see ${JWT}` }, 'event.text', 'a token (JWT)', `see ${JWT}`],
  [
    'an e-mail address',
    { text: 'write to ada@example.com' },
    'event.text',
    'an e-mail address',
    'write to ada@example.com',
  ],
  ['an access key', { text: ACCESS_KEY }, 'event.text', 'an access key of AWS', ACCESS_KEY],
  [
    'a secret in text',
    { text: 'password=hunter2 x' },
    'event.text',
    'a secret after its name in the text, such as token=',
    'password=hunter2 x',
  ],
  ['JSON in a string', { body: '{"a":{"token":"t-1"}}' }, 'event.body.a.token', 'the name of the key: token', 't-1'],
  [
    'control characters',
    { text: 'a\u0007b' },
    'event.text',
    'characters or values that the page does not show',
    'a\u0007b',
  ],
])('%s is hidden, with its reason, and can be revealed', (_what, event, path, why, value) => {
  expect(places(event)).toEqual([[path, why, value]]);
});

it('reveals a long value as far as a page can show it', () => {
  expect(places({ text: 'x'.repeat(70_000) })).toEqual([
    ['event.text', 'too long: the page shows its beginning', 'x'.repeat(65_536)],
  ]);
});

it('hides nothing in a plain event, and names no value that is shown', () => {
  expect(places({ id: 'n-1', text: 'Milk', list: [1, true, null] })).toEqual([]);
  const { journal, id } = recordOf({ text: 'Milk', token: 't' });
  const [raw, shown] = [journal.raw(id), journal.get(id)];
  expect(raw && shown && revealed(raw, shown, ['event', 'text'])).toBeUndefined();
  expect(raw && shown && revealed(raw, shown, ['event'])).toBeUndefined();
  expect(raw && shown && revealed(raw, shown, ['constructor', 'name'])).toBeUndefined();
});

it('finds headers of the client, log lines in the order of their times, and inputs of AWS calls', () => {
  const { journal, id } = recordOf({});
  journal.append(id, 'logs', { at: 2, level: 'info', text: 'token=later' });
  journal.append(id, 'logs', { at: 1, level: 'info', text: 'token=first' });
  journal.append(id, 'awsCalls', {
    at: 1,
    ms: 1,
    service: 'sqs',
    operation: 'SendMessage',
    resource: 'q',
    status: 200,
    error: null,
    input: { MessageBody: '{"password":"p"}' },
    output: {},
  });
  journal.update(id, {
    client: { status: 200, headers: [['set-cookie', 'a=b']], body: '{"api_key":"k"}', streamed: false, cut: false },
  });
  const [raw, shown] = [journal.raw(id), journal.get(id)];
  const found =
    raw && shown ? hiddenPlaces(raw, shown).map(({ path }) => [path.join('.'), revealed(raw, shown, path)]) : [];
  expect(found).toEqual([
    ['client.headers.0.set-cookie', 'a=b'],
    ['client.body.api_key', 'k'],
    ['logs.0.text', 'token=first'],
    ['logs.1.text', 'token=later'],
    ['awsCalls.0.input.MessageBody.password', 'p'],
  ]);
});
