import type { InvocationRow } from '../../src/internal/console/api.js';

/** The result of an action, for its colour; the text next to it has the same meaning. */
export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'none';

/** The result of an invocation, for its colour. A status of 400 or failed records do not count as a failed function. */
export function toneOf({ status, summary }: Pick<InvocationRow, 'status' | 'summary'>): Tone {
  if (status === 'waiting' || status === 'running') return 'busy';
  if (status === 'failed' || /^5\d\d$/.test(summary)) return 'bad';
  return /^4\d\d$/.test(summary) || /\bfailed\b|^refused/.test(summary) ? 'warn' : 'good';
}

/** Milliseconds in a short form: `8 ms`, `1.2 s`. */
export function duration(ms: number | null): string {
  if (ms === null) return '';
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** `12:00:06`, in the reader's time. */
export function clockTime(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

/** The wait until a time: `24 s`, `1 min 5 s`; `now` if it has passed. */
export function until(at: number, now: number): string {
  const seconds = Math.ceil((at - now) / 1000);
  if (seconds <= 0) return 'now';
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** The words of a filter; a word after `!` must not match. */
export function wordsOf(filter: string): {
  readonly included: readonly string[];
  readonly excluded: readonly string[];
} {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '' && word !== '!');
  return {
    included: words.filter((word) => !word.startsWith('!')),
    excluded: words.filter((word) => word.startsWith('!')).map((word) => word.slice(1)),
  };
}

/**
 * True if an invocation matches a filter. All words must be in its line or its failures, and a word after `!` must not be. `ok` and
 * `failed` match the result.
 *
 * @param isFound true if the host found all words in the whole record: event, response, log lines
 */
export function matches(row: InvocationRow, filter: string, isFound = false): boolean {
  const tone = toneOf(row);
  const line = [row.kind, row.origin.kind, row.origin.target, row.origin.as, row.summary, `#${row.id}`, row.requestId];
  const text = [...line, tone === 'good' ? 'ok' : tone === 'busy' ? 'running' : 'failed'].join(' ').toLowerCase();
  const { included, excluded } = wordsOf(filter);
  if (excluded.some((word) => hasWord(text, word))) return false;
  if (isFound) return true;
  const why = JSON.stringify(row.failures).toLowerCase();
  return included.every((word) => text.includes(word) || why.includes(word));
}

/** `!ok` must not hide `tokens`. */
function hasWord(text: string, word: string): boolean {
  return word === 'ok' ? / ok$/.test(text) : text.includes(word);
}

/** The next step for a waiting record: another delivery, or the end of its last delivery. */
export function whatNext(
  record: { readonly deliveries: number; readonly until: number },
  most: number,
  now: number,
): string {
  const wait = until(record.until, now);
  if (record.deliveries >= most) return `a dead letter in ${wait}, after delivery ${record.deliveries} of ${most}`;
  return `back in ${wait}, delivery ${record.deliveries + 1} of ${most}`;
}

/** The outcome of each record of an invocation: its last change. */
export function nextSteps(row: Pick<InvocationRow, 'changes'>): readonly InvocationRow['changes'][number][] {
  return [...new Map(row.changes.map((change) => [`${change.source} ${change.recordId}`, change])).values()];
}

/** The member `by` places after the current member, limited to the first and last member. `undefined` for an empty list. */
export function neighbour<T>(members: readonly T[], current: T | undefined, by: number): T | undefined {
  const index = current === undefined ? -1 : members.indexOf(current);
  return members[Math.min(members.length - 1, Math.max(0, index + by))];
}
