import type { InvocationRow } from '../../src/internal/console/api.js';

/** How a thing went, for its colour; the text next to it says the same. */
export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'none';

/** How an invocation went, for the eye: a status of 400 or failed records are no failure of the function. */
export function toneOf({ status, summary }: Pick<InvocationRow, 'status' | 'summary'>): Tone {
  if (status === 'waiting' || status === 'running') return 'busy';
  if (status === 'failed' || /^5\d\d$/.test(summary)) return 'bad';
  return /^4\d\d$/.test(summary) || /\bfailed\b|^refused/.test(summary) ? 'warn' : 'good';
}

/** Milliseconds in few characters: `8 ms`, `1.2 s`. */
export function duration(ms: number | null): string {
  if (ms === null) return '';
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** `12:00:06`, in the reader's time. */
export function clockTime(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

/** How long it is until a time: `24 s`, `1 min 5 s`; `now` when it has come. */
export function until(at: number, now: number): string {
  const seconds = Math.ceil((at - now) / 1000);
  if (seconds <= 0) return 'now';
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * True if an invocation is one that a filter asks for. All words must be in its line, a word after `!` must not. `ok` and
 * `failed` are how it went.
 */
export function matches(row: InvocationRow, filter: string): boolean {
  const tone = toneOf(row);
  const line = [row.kind, row.origin.kind, row.origin.target, row.origin.as, row.summary, `#${row.id}`, row.requestId];
  const text = [...line, tone === 'good' ? 'ok' : tone === 'busy' ? 'running' : 'failed'].join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '' && word !== '!')
    .every((word) => (word.startsWith('!') ? !hasWord(text, word.slice(1)) : text.includes(word)));
}

/** `!ok` is not to hide `tokens`. */
function hasWord(text: string, word: string): boolean {
  return word === 'ok' ? / ok$/.test(text) : text.includes(word);
}

/** What comes next for a record that waits: another delivery, or the end of its last one. */
export function whatNext(
  record: { readonly deliveries: number; readonly until: number },
  most: number,
  now: number,
): string {
  const wait = until(record.until, now);
  if (record.deliveries >= most) return `a dead letter in ${wait}, after delivery ${record.deliveries} of ${most}`;
  return `back in ${wait}, delivery ${record.deliveries + 1} of ${most}`;
}

/** The fate of each record of an invocation: the last change of each. */
export function nextSteps(row: Pick<InvocationRow, 'changes'>): readonly InvocationRow['changes'][number][] {
  return [...new Map(row.changes.map((change) => [`${change.source} ${change.recordId}`, change])).values()];
}

/** The member `by` places further on than the current one; a list ends at its ends. `undefined` for an empty list. */
export function neighbour<T>(members: readonly T[], current: T | undefined, by: number): T | undefined {
  const index = current === undefined ? -1 : members.indexOf(current);
  return members[Math.min(members.length - 1, Math.max(0, index + by))];
}
