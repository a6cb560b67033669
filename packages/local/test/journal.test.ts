import { ManualClock } from '@sallyport/core/testing';
import { type Batch, createFeed } from '../src/internal/journal/feed.js';
import type { InvocationRecord } from '../src/internal/journal/journal.js';
import { createJournal } from '../src/internal/journal/ring.js';

const OPEN = { requestId: 'r-1', traceId: 't-1', segment: 's-1', origin: { kind: 'queue', target: 'orders' } };

/** The event and the log line that the journal shows. */
function shown(text: string, reveal = false) {
  const journal = createJournal({ reveal, now: () => 1000 });
  const id = journal.open({ ...OPEN, parent: undefined, event: { text } } as never);
  journal.append(id, 'logs', { at: 1000, level: 'info', text });
  const { event, logs } = journal.get(id) as InvocationRecord;
  return { event: (event as { text: string }).text, log: logs[0]?.text };
}

// Only its first line identifies it.
const PRIVATE_KEY = ['-----BEGIN PRIVATE KEY-----', 'MIGHAgEAMBMGByqGSM49', '-----END PRIVATE KEY-----'].join('\n');

it.each([
  ['lines and tabs', 'first\n\tsecond', 'first\n\tsecond'],
  ['what hides or reorders text', 'a\u202eb\u0007c\r\nd', 'abc\nd'],
  ['a secret in one of the lines', 'one\npassword=hunter2\nthree', 'one\npassword=[REDACTED]\nthree'],
  ['a private key of several lines', `key\n${PRIVATE_KEY}\nend`, 'key\n[REDACTED]\nend'],
])('%s of a value and of a log line', (_name, text, expected) => {
  expect(shown(text)).toEqual({ event: expected, log: expected });
  expect(shown(text, true)).toEqual({ event: text, log: text });
});

describe('changes of a journal', () => {
  /** A journal and the batches that its feed sends; the clock is moved by the test. */
  function feedOf() {
    const clock = new ManualClock(new Date(0));
    const journal = createJournal({ reveal: false, now: () => 1000 });
    const batches: Batch[] = [];
    const feed = createFeed(journal, { after: (ms, run) => clock.after(ms, run) }, (batch) => batches.push(batch));
    return { clock, journal, batches, feed };
  }
  const line = (text: string) => ({ at: 1, level: 'info', text });

  it('are sent together after 50 ms, each value once', async () => {
    const { clock, journal, batches, feed } = feedOf();
    const id = journal.open({ ...OPEN, event: { order: 1 } });
    for (let at = 0; at < 5000; at += 1) journal.append(id, 'logs', { at, level: 'info', text: 'line' });
    await clock.advance(49);
    expect(batches).toEqual([]);
    await clock.advance(1);
    expect(batches).toMatchObject([
      { number: 1, records: [{ id, members: { event: { order: 1 }, logsDropped: 3000 } }] },
    ]);
    expect(batches[0]?.records[0]?.added.logs).toHaveLength(2000);
    feed.confirm(1);
    journal.update(id, { status: 'ok' });
    journal.append(id, 'leftovers', 'Timeout');
    await clock.advance(50);
    expect(batches[1]).toEqual({
      number: 2,
      records: [{ id, members: { status: 'ok' }, added: { leftovers: ['Timeout'] } }],
      notes: [],
    });
    feed.confirm(2);
    await clock.advance(1000);
    expect(batches).toHaveLength(2);
  });

  it('wait for a slow receiver, which then gets one large batch', async () => {
    const { clock, journal, batches, feed } = feedOf();
    const id = journal.open({ ...OPEN, event: {} });
    await clock.advance(50);
    for (let second = 0; second < 10; second += 1) {
      journal.append(id, 'logs', line(String(second)));
      await clock.advance(1000);
    }
    expect(batches).toHaveLength(1);
    feed.confirm(1);
    await clock.advance(50);
    expect(batches[1]?.records[0]?.added.logs).toHaveLength(10);
  });

  it('of many records are sent before the journal removes a record', async () => {
    const { journal, batches } = feedOf();
    for (let id = 1; id <= 3000; id += 1) journal.open({ ...OPEN, requestId: `r-${id}`, event: {} });
    const sent = batches.flatMap(({ records }) => records.map(({ id }) => id));
    expect(sent).toEqual(Array.from({ length: 3000 }, (_, at) => at + 1));
  });

  it('include what there was before the feed, and notes', async () => {
    const journal = createJournal({ reveal: false, now: () => 1000, lastId: 41 });
    const id = journal.open({ ...OPEN, event: {} });
    journal.note({ at: 1, topic: 'notice', text: 'password=hunter2' });
    const batches: Batch[] = [];
    createFeed(journal, new ManualClock(new Date(0)), (batch) => batches.push(batch)).flush();
    expect(id).toBe(42);
    expect(batches).toMatchObject([{ records: [{ id: 42 }], notes: [{ text: 'password=[REDACTED]' }] }]);
  });
});

it('log lines of an invocation are limited by their length too', () => {
  const journal = createJournal({ reveal: false, now: () => 1000, maxLogBytes: 1000 });
  const id = journal.open({ ...OPEN, event: {} });
  for (let at = 0; at < 10; at += 1) journal.append(id, 'logs', { at, level: 'info', text: 'x'.repeat(300) });
  expect(journal.get(id)).toMatchObject({ logs: [{ at: 0 }, { at: 1 }], logsDropped: 8 });
});

it('values are sanitized once each', () => {
  const reads = { event: 0, line: 0 };
  const counted = (name: keyof typeof reads) => ({
    get text() {
      reads[name] += 1;
      return name;
    },
  });
  const journal = createJournal({ reveal: false, now: () => 1000 });
  const id = journal.open({ ...OPEN, event: counted('event') });
  journal.append(id, 'logs', { at: 1, level: 'info', text: 'other' });
  journal.append(id, 'logs', Object.assign(counted('line'), { at: 2, level: 'info' }));
  expect(journal.get(id)?.logs.map(({ text }) => text)).toEqual(['other', 'line']);
  const before = { ...reads };
  journal.append(id, 'logs', { at: 3, level: 'info', text: 'third' });
  expect(journal.get(id)?.logs.map(({ text }) => text)).toEqual(['other', 'line', 'third']);
  expect(reads).toEqual({ event: before.event, line: before.line });
});
