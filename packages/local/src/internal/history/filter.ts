import type { InvocationRow } from '../console/api.js';

// The page and the thread of the console both use this file: it imports types only.

/** The result of an action, for its colour; the text next to it has the same meaning. */
export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'none';

/** The result of an invocation, for its colour. A status of 400 or failed records do not count as a failed function. */
export function toneOf({ status, summary }: Pick<InvocationRow, 'status' | 'summary'>): Tone {
  if (status === 'waiting' || status === 'running') return 'busy';
  if (status === 'failed' || /^5\d\d$/.test(summary)) return 'bad';
  return /^4\d\d$/.test(summary) || /\bfailed\b|^refused/.test(summary) ? 'warn' : 'good';
}

/** The words of a filter; a word after `!` must not match. */
export interface FilterWords {
  readonly included: readonly string[];
  readonly excluded: readonly string[];
}

export function wordsOf(filter: string): FilterWords {
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
 * @param isFound true if all words are in the whole record: event, response, log lines
 */
export function matches(row: InvocationRow, filter: string | FilterWords, isFound = false): boolean {
  const text = lineOf(row);
  const { included, excluded } = typeof filter === 'string' ? wordsOf(filter) : filter;
  if (excluded.some((word) => hasWord(text, word))) return false;
  if (isFound) return true;
  const why = JSON.stringify(row.failures).toLowerCase();
  return included.every((word) => text.includes(word) || why.includes(word));
}

/** Creates the test of a stored record: its text is JSON, and its row is parsed only if the result depends on the line. */
export function createFilter(filter: string): (text: string, row: () => InvocationRow) => boolean {
  const words = wordsOf(filter);
  const { included, excluded } = words;
  const escaped = included.map((word) => JSON.stringify(word).slice(1, -1));
  return (text, row) => {
    const lower = text.toLowerCase();
    const missing = included.filter((word, at) => !lower.includes(word) && !lower.includes(escaped[at] ?? word));
    if (missing.length === 0) return excluded.length === 0 || matches(row(), words, true);
    return missing.every(isOfLine) && matches(row(), words);
  };
}

/** True for a word that can be in a line but not in the JSON of a record. */
function isOfLine(word: string): boolean {
  return word.startsWith('#') || 'failed running ok'.includes(word);
}

function lineOf(row: InvocationRow): string {
  const tone = toneOf(row);
  const line = [row.kind, row.origin.kind, row.origin.target, row.origin.as, row.summary, `#${row.id}`, row.requestId];
  return [...line, tone === 'good' ? 'ok' : tone === 'busy' ? 'running' : 'failed'].join(' ').toLowerCase();
}

/** `!ok` must not hide `tokens`. */
function hasWord(text: string, word: string): boolean {
  return word === 'ok' ? / ok$/.test(text) : text.includes(word);
}
