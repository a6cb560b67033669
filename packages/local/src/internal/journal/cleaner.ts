import { REDACTED } from '@sallyport/core/internal';
import { createSanitizer } from '@sallyport/core/observability';
import type { InvokeOutcome } from '../runtime/invoker.js';
import type { Journal } from './journal.js';

/** Returns a value in the form that the console may show. */
export type Cleaner = (value: unknown) => unknown;

/** A page for developers shows more than a log line, and keeps line breaks. */
const sanitizer = createSanitizer({
  limits: { depth: 24, entries: 1000, nodes: 50_000, stringBytes: 65_536 },
  keepLineBreaks: true,
});

/**
 * An authorization code in a query or a form (RFC 6749 section 4.1.2). Elsewhere `code` is the name of an error, and a shorter value
 * is a word, for example a country.
 */
const CODE_IN_QUERY = /((?:^|[?&])(?:code|device_code)=)[^&\s"'#]{10,}/g;
/** The id of a callback of an execution is a capability: any holder can answer the callback. */
const CALLBACK_IN_PATH = /(durable-execution-callbacks\/)[^/\s"]+/g;
const CALLBACK = 'CallbackId';
const QUERIES = /^(?:multiValueQ|q)ueryStringParameters$/;
const CODE = /^(?:code|device_code)$/;

/** @param reveal true if strings are not sanitized */
export function createCleaner(reveal: boolean): Cleaner {
  if (reveal) return (value) => value;
  return (value) => (value === undefined ? undefined : hideCodes(sanitizer.sanitizeValue(value), false));
}

/** For files, the terminal and `--json`, which never reveal values. */
export const cleanText = createCleaner(false) as <T>(value: T) => T;

/** An outcome in the form that the console may show, with the sanitized response and error of its record. */
export function shownOutcome(journal: Pick<Journal, 'get'>, outcome: InvokeOutcome): InvokeOutcome {
  const record = journal.get(outcome.id);
  // A record that is no longer kept, or has no response yet, reveals nothing.
  if (outcome.ok) return { ...outcome, answer: record ? record.answer : cleanText(outcome.answer) };
  return { ...outcome, error: record?.error ?? cleanText(outcome.error) };
}

function hideInText(text: string): string {
  const codes = text.includes('code=') ? text.replace(CODE_IN_QUERY, `$1${REDACTED}`) : text;
  return codes.includes('-callbacks/') ? codes.replace(CALLBACK_IN_PATH, `$1${REDACTED}`) : codes;
}

function hideCodes(value: unknown, isQuery: boolean): unknown {
  if (typeof value === 'string') return hideInText(value);
  if (Array.isArray(value)) return value.map((member) => hideCodes(member, isQuery));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    if (name === CALLBACK) return [name, REDACTED];
    const isCode = isQuery && CODE.test(name) && String(member).length >= 10;
    return [name, isCode ? REDACTED : hideCodes(member, QUERIES.test(name))];
  });
  return Object.fromEntries(members);
}
