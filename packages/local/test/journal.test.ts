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
