import { fromJson, isObject } from '@sallyport/core/internal';
import { failureText } from '../commands/failure-lines.js';
import type { Failure } from '../journal/failure-record.js';
import { findDifferences } from '../recordings/differences.js';
import { toClean } from '../recordings/recordings.js';
import type { TestCase } from './test-file.js';

/** The result of an event, locally or in a deployed stack. */
export interface TestResult {
  /** The answer of the function; absent if it failed, or if only its client is known. */
  readonly answer?: unknown;
  /** Replaced in a comparison with a recorded response. */
  readonly requestId?: string;
  readonly client?: {
    readonly status: number;
    readonly headers: readonly (readonly [name: string, value: string])[];
    readonly body: string;
  };
  readonly error?: { readonly errorType: string; readonly errorMessage: string };
  readonly records?: 'done' | 'dead-letter';
  /** Absent if nothing is known about differences, as for a deployed stack. */
  readonly differences?: readonly string[];
  /** The failures of the last invocation; absent if it succeeded, and for a deployed stack. */
  readonly failures?: readonly Failure[];
  /** The reason why the event cannot be sent there; the test is then skipped. */
  readonly skipped?: string;
}

/** The problems of a result; empty if it is as expected. Each line begins with the path of the member. */
export function problemsOf({ expect, recorded }: TestCase, result: TestResult): readonly string[] {
  const { answer, client, error, records, differences, failures = [] } = result;
  const problems: string[] = [];
  const check = (path: string, expected: unknown, got: unknown) => {
    if (expected !== undefined) collect(expected, got, path, problems);
  };
  check('status', expect.status, client?.status);
  for (const [name, value] of Object.entries(expect.headers ?? {})) {
    check(`headers.${name}`, value, client?.headers.find(([own]) => own.toLowerCase() === name.toLowerCase())?.[1]);
  }
  if (expect.body !== undefined) check('body', expect.body, bodyOf(expect.body, client?.body));
  check('answer', expect.answer, answer);
  check('error', expect.error, error?.errorType);
  check('records', expect.records, records);
  if (expect.differences !== undefined && differences !== undefined) {
    check('differences', JSON.stringify([...expect.differences].sort()), JSON.stringify([...differences].sort()));
  }
  if (recorded)
    problems.push(
      ...findDifferences(recorded.answer, toClean(answer, result.requestId ?? '')).map(
        (path) => `${path} differs from the recorded response`,
      ),
    );
  const isExpected = expect.error !== undefined || expect.status !== undefined;
  const isFailed = error !== undefined && !isExpected;
  // Failures are shown as in the terminal, below the first problem.
  const texts = failures.flatMap((failure) => failureText(failure, '').trimEnd().split('\n'));
  if (isFailed && texts.length === 0)
    problems.unshift(`the function failed: ${error.errorType}: ${error.errorMessage}`);
  else if (isFailed) problems.unshift('the function failed');
  return problems.length === 0 ? [] : [...problems, ...texts];
}

/** A body is compared as JSON, unless the expectation is text. */
function bodyOf(expected: unknown, body: string | undefined): unknown {
  return typeof expected === 'string' ? body : fromJson(body);
}

/** Further members of objects are ignored; lists have the same length; `{ "$match": "^n-" }` is a pattern for a string. */
function collect(expected: unknown, got: unknown, path: string, problems: string[]): void {
  if (isObject(expected)) {
    const { $match: pattern } = expected;
    if (typeof pattern === 'string') {
      if (typeof got !== 'string' || !new RegExp(pattern).test(got))
        problems.push(problem(path, `a string that matches ${pattern}`, got));
      return;
    }
    if (!isObject(got)) {
      problems.push(problem(path, 'an object', got));
      return;
    }
    for (const [key, member] of Object.entries(expected)) {
      collect(member, Object.hasOwn(got, key) ? got[key] : undefined, `${path}.${key}`, problems);
    }
    return;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(got) || got.length !== expected.length) {
      problems.push(
        problem(path, `a list of ${expected.length}`, Array.isArray(got) ? `a list of ${got.length}` : got),
      );
      return;
    }
    for (const [index, member] of expected.entries()) collect(member, got[index], `${path}[${index}]`, problems);
    return;
  }
  if (!Object.is(expected, got)) problems.push(problem(path, JSON.stringify(expected), got));
}

const MAX_SHOWN = 200;

function problem(path: string, expected: string, got: unknown): string {
  const text = JSON.stringify(got) ?? 'nothing';
  return `${path}: expected ${expected}, got ${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text}`;
}
