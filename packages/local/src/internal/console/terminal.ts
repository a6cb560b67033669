import { failureText } from '../commands/failure-lines.js';
import { clockTime, differenceLines, invocationJson, invocationLine } from '../commands/lines.js';
import type { History } from '../history/history.js';
import { cleanText } from '../journal/cleaner.js';
import { hasEndedBadly } from '../journal/failure.js';

/** The settings of the terminal's lines. */
export interface TerminalOptions {
  /** True for one JSON object per line. */
  readonly json: boolean;
  /** True if the lines that the function wrote are printed too. */
  readonly logs: boolean;
}

const INDENT = '          ';
/** The response to the client is recorded a moment after the end, in the next batch. */
const SOON_MS = 60;
/** Log lines of a failure arrive at most this many milliseconds after it. */
const LATE_LINES_MS = 150;

/**
 * Prints one line for each completed invocation, each build and each note.
 *
 * @returns a function that prints what still waits, and ends
 */
export function printHistory(
  history: History,
  { json, logs }: TerminalOptions,
  out: (text: string) => void,
): () => void {
  const waiting = new Map<number, NodeJS.Timeout>();
  const printed = new Set<number>();
  const print = (id: number) => {
    clearTimeout(waiting.get(id));
    waiting.delete(id);
    const record = history.get(id);
    if (!record) return;
    if (json) return out(`${invocationJson(record)}\n`);
    const failures = record.failures.map((failure) => failureText(failure, INDENT));
    const lines = logs ? record.logs.map(({ level, text }) => `${INDENT}${level}  ${cleanText(text)}\n`) : [];
    const differences = differenceLines(record.differences, INDENT);
    out([`${invocationLine(record)}\n`, ...failures, differences, ...lines].join(''));
  };
  const unsubscribe = history.subscribe(({ ids, notes }) => {
    for (const { topic, at, text } of notes) {
      if (text === '' || (topic !== 'notice' && topic !== 'build')) continue;
      const shown = cleanText(text);
      out(json ? `${JSON.stringify({ type: topic, at, text: shown })}\n` : `${clockTime(at)}  ${shown}\n`);
    }
    for (const id of ids) {
      const row = printed.has(id) ? undefined : history.row(id);
      if (!row || (row.status !== 'ok' && row.status !== 'failed')) continue;
      printed.add(id);
      waiting.set(id, setTimeout(print, hasEndedBadly(row) ? LATE_LINES_MS : SOON_MS, id));
    }
    if (printed.size > MAX_PRINTED) for (const id of [...printed].slice(0, MAX_PRINTED / 2)) printed.delete(id);
  });
  return () => {
    unsubscribe();
    for (const id of waiting.keys()) print(id);
  };
}

/** Maximum number of stored ids of printed invocations: a late change prints no second line. */
const MAX_PRINTED = 20_000;
