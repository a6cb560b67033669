import { type FrameworkError, isFrameworkError } from '@sallyport/core';
import { LAMBDA_MAX_ANSWER_BYTES, toClientError } from '@sallyport/core/pipeline';
import { invalidAnswer } from '../errors.js';

/**
 * A value as the runtime would write it: the JSON of a handler's result, read again. What is answered is then data alone, without
 * getters or methods that could throw or change it after the check.
 *
 * @throws FrameworkError `triggers.invalid_answer` for a value that JSON cannot write (a BigInt, a cycle, a function, bytes), or that
 *   is more than 6 MB
 */
export function toJson(what: string, value: unknown): unknown {
  const text = writeJson(value);
  if (text === undefined) throw invalidAnswer(`${what} is more than 6 MB, or not a value that JSON can write`);
  return JSON.parse(text);
}

/**
 * Checks a result that is answered as it is.
 *
 * @throws FrameworkError `triggers.invalid_answer` for a value that JSON cannot write, or that is more than 6 MB
 */
export function assertAnswer(value: unknown): void {
  const text = writeJson(value);
  if (text === undefined) throw invalidAnswer('the result is more than 6 MB, or not a value that JSON can write');
  if (Buffer.byteLength(text) > LAMBDA_MAX_ANSWER_BYTES) throw invalidAnswer('the answer is more than 6 MB');
}

/** True if the context of an authorizer accepts a value: JSON writes other numbers as `null`. */
export function isFlatValue(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** The JSON of a value; `undefined` for a value without one, or that is certainly more than 6 MB. */
function writeJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, bounded());
  } catch {
    return undefined;
  }
}

/**
 * Ends a writing that cannot become an answer: it would block the process past the deadline. Bytes are written as an object with a member for
 * each, which nobody means.
 */
function bounded(): (name: string, value: unknown) => unknown {
  let left = LAMBDA_MAX_ANSWER_BYTES;
  return (_name, value) => {
    left -= typeof value === 'string' || Array.isArray(value) ? value.length : 1;
    if (left < 0 || ArrayBuffer.isView(value)) throw new RangeError('not an answer');
    return value;
  };
}

/**
 * An answer that Lambda accepts.
 *
 * @param answer data that JSON can write
 * @throws FrameworkError `triggers.invalid_answer` for more than 6 MB, which Lambda would turn into a failed invocation
 */
export function withinLimit<T>(answer: T): T {
  if (bytesOfJson(answer) > LAMBDA_MAX_ANSWER_BYTES) throw invalidAnswer('the answer is more than 6 MB');
  return answer;
}

/** Bytes of data as JSON. */
function bytesOfJson(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Bytes around the list of an answer: `{"records":[]}`. */
const FRAME = 14;

/**
 * The entries of an answer of at most 6 MB. An entry that does not fit next to the ones before it is replaced by its failure; each entry is
 * decided alone, so entries after it may fit.
 *
 * @param failureOf the entry that says that a record failed; there is room for all of them, because the event has had it
 */
export function fitting<T>(entries: readonly T[], failureOf: (entry: T, index: number) => T): T[] {
  const sizeOf = (entry: T) => bytesOfJson(entry) + 1;
  const failures = entries.map(failureOf);
  const spare = failures.map(sizeOf);
  let total = FRAME + spare.reduce((sum, size) => sum + size, 0);
  return entries.map((entry, index) => {
    const more = sizeOf(entry) - (spare[index] as number);
    if (total + more > LAMBDA_MAX_ANSWER_BYTES && more > 0) return failures[index] as T;
    total += more;
    return entry;
  });
}

const MAX_TEXT = 1_000;

/** Code and message of a FrameworkError, the message cut to 1,000 characters; `undefined` for any other value. Never throws. */
export function readFailure(thrown: unknown, shown = (error: FrameworkError) => error): Failure | undefined {
  if (!isFrameworkError(thrown)) return undefined;
  try {
    const { code, message } = shown(thrown);
    return typeof code === 'string' && typeof message === 'string'
      ? { code, message: message.slice(0, MAX_TEXT) }
      : undefined;
  } catch {
    return undefined;
  }
}

interface Failure {
  readonly code: string;
  readonly message: string;
}

/** What a client may read of a FrameworkError; `undefined` for any other value, whose text may quote anything. */
export function publicFailure(thrown: unknown): Failure | undefined {
  return readFailure(thrown, toClientError);
}

/** The text that a client may read of any failure. */
export function publicText(thrown: unknown): string {
  return publicFailure(thrown)?.message ?? 'internal error';
}
