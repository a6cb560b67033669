import { type FrameworkError, isFrameworkError } from '@sallyport/core';
import { bytesOfJson, LAMBDA_MAX_ANSWER_BYTES, toClientError } from '@sallyport/core/internal';
import { invalidAnswer } from '../errors.js';

/**
 * Converts a handler's result to JSON and parses it again, as the runtime would write it. The result is plain data, without
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
 * Checks a result that is answered unchanged.
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

/** The JSON of a value; `undefined` for a value that has no JSON, or that certainly exceeds 6 MB. */
function writeJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, bounded());
  } catch {
    return undefined;
  }
}

/**
 * Stops the serialization of a value that is too large for an answer and would block the process past the deadline. Bytes are
 * rejected because JSON writes them as an object with a member for each byte.
 */
function bounded(): (this: unknown, name: string, value: unknown) => unknown {
  let left = LAMBDA_MAX_ANSWER_BYTES;
  return function (name, value) {
    left -= typeof value === 'string' || Array.isArray(value) ? value.length : 1;
    if (left < 0 || ArrayBuffer.isView(value) || isBuffer(value, this, name)) throw new RangeError('not an answer');
    return value;
  };
}

/** True for a value that a Buffer has made of itself before it is written: a list with a number for each byte. */
function isBuffer(value: unknown, holder: unknown, name: string): boolean {
  const isLike = typeof value === 'object' && value !== null && 'data' in value && Array.isArray(value.data);
  return isLike && Buffer.isBuffer((holder as Record<string, unknown>)[name]);
}

/**
 * Returns an answer that Lambda accepts.
 *
 * @param answer data that JSON can write
 * @throws FrameworkError `triggers.invalid_answer` for more than 6 MB, which Lambda would turn into a failed invocation
 */
export function withinLimit<T>(answer: T): T {
  if (bytesOfJson(answer) > LAMBDA_MAX_ANSWER_BYTES) throw invalidAnswer('the answer is more than 6 MB');
  return answer;
}

/** Bytes of an answer around its list: `{"records":[]}`. */
const FRAME = 14;

/**
 * Limits the entries of an answer to 6 MB. An entry that does not fit next to the previous entries is replaced by its failure. Each
 * entry is checked separately, so later entries may fit.
 *
 * @param failureOf the entry for a failed record; all failures fit, because they were in the event
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

/** Code and message of a FrameworkError for a client; `undefined` for any other value, whose message may quote any data. */
export function publicFailure(thrown: unknown): Failure | undefined {
  return readFailure(thrown, toClientError);
}

/** The message of any failure for a client. */
export function publicText(thrown: unknown): string {
  return publicFailure(thrown)?.message ?? 'internal error';
}
