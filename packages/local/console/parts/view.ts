import type { InvocationRow } from '../../src/internal/console/api.js';

export { matches, type Tone, toneOf, wordsOf } from '../../src/internal/history/filter.js';

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

/** `1 delivery`, `3 deliveries`. */
export function counted(deliveries: number): string {
  return `${deliveries} ${deliveries === 1 ? 'delivery' : 'deliveries'}`;
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

/** A frame of AWS's runtime client, of the files that load the function, or of Node. */
const OF_RUNTIME = /[/\\]dist[/\\](?:ric|child)[/\\]|[/\\]local[/\\]child[/\\]|aws-lambda-ric|\(?node:/;

/** An error with its stack: the message once, and no frames after the last frame of the service. */
export function errorText(error: {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}): string {
  const { errorType, errorMessage, trace = [] } = error;
  const head = `${errorType}: ${errorMessage}`;
  const [first, ...others] = trace;
  const lines = first === head ? others : trace;
  const last = lines.findLastIndex((line) => !OF_RUNTIME.test(line));
  return [head, ...lines.slice(0, last + 1)].join('\n');
}
