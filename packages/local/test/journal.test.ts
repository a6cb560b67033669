import { ManualClock } from '@sallyport/core/testing';
import type { InvocationRecord, JournalChange } from '../src/internal/journal/journal.js';
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

describe('log lines of a chatty handler', () => {
  it('are published together after 50 ms, and a change of the record immediately', async () => {
    const clock = new ManualClock(new Date(0));
    const journal = createJournal({ reveal: false, now: () => 1000, after: (ms, run) => clock.after(ms, run) });
    const changes: JournalChange[] = [];
    journal.subscribe((change) => changes.push(change));
    const id = journal.open({ ...OPEN, event: {} });
    for (let line = 0; line < 5000; line += 1) journal.append(id, 'logs', { at: line, level: 'info', text: 'line' });
    expect(changes).toHaveLength(1);
    await clock.advance(49);
    expect(changes).toHaveLength(1);
    await clock.advance(1);
    expect(changes).toHaveLength(2);
    expect((changes[1] as { record: InvocationRecord }).record).toMatchObject({ logsDropped: 3000 });
    journal.update(id, { status: 'ok' });
    expect(changes).toHaveLength(3);
    await clock.advance(1000);
    expect(changes).toHaveLength(3);
  });

  it('are sanitized once each, and the event too', () => {
    const reads = { event: 0, line: 0 };
    const counted = (name: keyof typeof reads) => ({
      get text() {
        reads[name] += 1;
        return name;
      },
    });
    const journal = createJournal({ reveal: false, now: () => 1000, after: () => () => {} });
    const id = journal.open({ ...OPEN, event: counted('event') });
    journal.append(id, 'logs', { at: 1, level: 'info', text: 'other' });
    journal.append(id, 'logs', Object.assign(counted('line'), { at: 2, level: 'info' }));
    expect(journal.get(id)?.logs.map(({ text }) => text)).toEqual(['other', 'line']);
    const before = { ...reads };
    journal.append(id, 'logs', { at: 3, level: 'info', text: 'third' });
    expect(journal.get(id)?.logs.map(({ text }) => text)).toEqual(['other', 'line', 'third']);
    expect(reads).toEqual(before);
  });
});
