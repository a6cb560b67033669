import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fromJson, isObject } from '@sallyport/core/internal';
import { defineOptions, integer, kind, list, number, oneOf, text } from '@sallyport/core/options';
import { loadRecording, type RecordedEvents } from '@sallyport/testkit/recorder';
import { anySetting } from '../config/kinds.js';
import { usageError } from '../errors.js';
import { recordingIn } from '../recordings/recording-version.js';
import type { SendRequest } from '../send/send.js';

/** The expected result of a test; members that are absent are not checked. */
export interface Expectation {
  /** The answer of the function, or a part of it: further members of objects are ignored. */
  readonly answer?: unknown;
  /** The status of an HTTP response. */
  readonly status?: number;
  /** Headers of an HTTP response, by name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of an HTTP response: text, or a part of its JSON. */
  readonly body?: unknown;
  /** The type of the error of the function. */
  readonly error?: string;
  /** The fate of the records of a source. */
  readonly records?: 'done' | 'dead-letter';
  /** The topics of what would differ on AWS, in any order; `[]` if nothing may differ. */
  readonly differences?: readonly string[];
}

/** One test of a file. */
export interface TestCase {
  readonly name: string;
  /** The event: a request of `sallyport send`, a whole event, or the event of a recording. */
  readonly send: SendRequest;
  /** The response of a recording; absent without a recorded response. */
  readonly recorded?: { readonly answer: unknown };
  readonly expect: Expectation;
  /** Milliseconds in which the test must end. */
  readonly timeoutMs: number;
}

interface GivenTest {
  readonly name: string;
  readonly send?: SendRequest;
  readonly event?: unknown;
  readonly recording?: string;
  readonly expect?: Expectation;
  readonly timeout?: number;
}

interface GivenFile {
  readonly $schema?: string;
  readonly version: number;
  readonly tests: readonly GivenTest[];
}

const fail = (place: string) => ({
  fail: (problem: string) => usageError(`${place}: ${problem.replace(/^option /, '')}`),
});
const object = kind<never>('an object', isObject);
const DEFAULT_TIMEOUT_S = 60;

/**
 * Reads a file of tests: `{ "version": 1, "tests": [{ "name", "send" | "event" | "recording", "expect" }] }`.
 *
 * @param file absolute
 * @throws FrameworkError `local.usage` with the place of the problem
 */
export function readTestFile(file: string, shown: string): readonly TestCase[] {
  const given = fromJson(readText(file, shown));
  if (!isObject(given)) throw usageError(`${shown} must contain a JSON object with "version" and "tests"`);
  // A saved recording is a test: it has an event and the response.
  if (given.recording !== undefined && given.tests === undefined) return [fromRecording(file, shown, {})];
  const parsed = defineOptions<GivenFile>()(
    {
      $schema: text(),
      version: kind<number>('1', (value) => value === 1).required(),
      tests: list<GivenTest>(object, 'a list of tests').required(),
    },
    fail(shown),
  ).parse(given as never);
  return parsed.tests.map((test, index) => toCase(test, `${shown}: tests[${index}]`, file));
}

function toCase(given: GivenTest, place: string, file: string): TestCase {
  const test = defineOptions<GivenTest>()(
    {
      name: text().required(),
      send: object,
      event: anySetting,
      recording: text(),
      expect: object,
      timeout: number(0.1, 900, 'seconds'),
    },
    fail(place),
  ).parse(given);
  const events = [test.send, test.event, test.recording].filter((one) => one !== undefined);
  if (events.length !== 1) throw usageError(`${place} must have exactly one of "send", "event" and "recording"`);
  const common = {
    name: test.name,
    expect: readExpectation(test.expect ?? {}, `${place}.expect`),
    timeoutMs: (test.timeout ?? DEFAULT_TIMEOUT_S) * 1000,
  };
  if (test.recording !== undefined) {
    return { ...fromRecording(resolve(dirname(file), test.recording), `${place}.recording`, common.expect), ...common };
  }
  if (test.send === undefined) return { ...common, send: { kind: 'event', options: test.event } };
  if (typeof (test.send as SendRequest).kind !== 'string') throw usageError(`${place}.send: "kind" must be a string`);
  return { ...common, send: test.send };
}

function readExpectation(given: Expectation, place: string): Expectation {
  defineOptions<Expectation>()(
    {
      answer: anySetting,
      status: integer(100, 599),
      headers: object,
      body: anySetting,
      error: text(),
      records: oneOf('done', 'dead-letter'),
      differences: list(text()),
    },
    fail(place),
  ).parse(given);
  return given;
}

/** The test of a saved recording: the same event must have the same response. */
function fromRecording(file: string, place: string, expect: Expectation): TestCase {
  const saved = fromJson(readText(file, place));
  if (!isObject(saved)) throw usageError(`${place}: ${file} is not valid JSON`);
  const { answer } = saved;
  const recording = recordingIn(saved, place);
  const event = loadRecording(recording, String(recording.kind) as keyof RecordedEvents);
  return {
    name: place,
    send: { kind: 'event', options: event },
    ...(answer !== undefined && { recorded: { answer } }),
    expect,
    timeoutMs: DEFAULT_TIMEOUT_S * 1000,
  };
}

function readText(file: string, place: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw usageError(`${place}: the file ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
  }
}
