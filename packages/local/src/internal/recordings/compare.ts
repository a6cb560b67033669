import type { InvocationRecord } from '../journal/journal.js';
import { findDifferences } from './differences.js';

/** A difference between two invocations. */
export interface Difference {
  /** `$.event.detail.total`. */
  readonly path: string;
  /** Absent if the first invocation has no such member. */
  readonly before?: unknown;
  readonly now?: unknown;
}

/** The parts of an invocation that are compared. */
function toCompared({ event, answer, error, summary, client, thrown, gate, logs, awsCalls }: InvocationRecord) {
  return {
    event,
    answer,
    error: error && { errorType: error.errorType, errorMessage: error.errorMessage },
    summary,
    client: client && { status: client.status, body: client.body },
    thrown: thrown.map(({ type, message }) => ({ type, message })),
    gate,
    logs: logs.map(({ level, text }) => ({ level, text })),
    calls: awsCalls.map(({ service, operation, resource, status, error: code, input, output }) => ({
      service,
      operation,
      resource,
      status,
      error: code,
      input,
      output,
    })),
  };
}

/** The differences between two invocations. Ids and times do not count. */
export function compareRecords(before: InvocationRecord, now: InvocationRecord): readonly Difference[] {
  const [first, second] = [toCompared(before), toCompared(now)];
  return findDifferences(first, second)
    .filter((path) => !GENERATED.test(path))
    .map((path): Difference => ({ path, ...at('before', first, path), ...at('now', second, path) }))
    .filter(({ before: old, now: fresh }) => !(isTime(old) && isTime(fresh)));
}

/** Members that have another value in each event of AWS. */
const GENERATED =
  /\.(?:messageId|MessageId|receiptHandle|requestId|extendedRequestId|eventID|sequenceNumber|SequenceNumber|AWSTraceHeader|[xX]-[aA]mzn-[tT]race-[iI]d|md5OfBody|MD5\w*)$/;
const TIME_TEXT = /^\d{4}-\d\d-\d\dT\d\d:\d\d|^\d\d\/\w{3}\/\d{4}:|^\w{3}, \d\d \w{3} \d{4} /;
/** Seconds or milliseconds since the epoch, of the years 2015 to 2055. */
const TIME_NUMBER = /^(?:1[4-9]|2[0-6])\d{8}(?:\.\d+|\d{3})?$/;

/** True for a date or a time, as text or as a number. */
export function isTime(value: unknown): boolean {
  if (typeof value === 'number') return TIME_NUMBER.test(String(value));
  return typeof value === 'string' && (TIME_TEXT.test(value) || TIME_NUMBER.test(value));
}

/** The value at a path; strings of JSON are read as values, as in the comparison. */
function at(name: 'before' | 'now', value: unknown, path: string): Partial<Difference> {
  let current = value;
  for (const part of path.split(/\.|\[|\]/).filter((one) => one !== '' && one !== '$')) {
    if (typeof current === 'string') current = parse(current);
    if (typeof current !== 'object' || current === null || !(part in current)) return {};
    current = (current as Readonly<Record<string, unknown>>)[part];
  }
  return { [name]: current };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
