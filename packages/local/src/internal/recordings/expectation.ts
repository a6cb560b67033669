import { fromJson, isObject, type Members, membersOf, REDACTED, stringOf } from '@sallyport/core/internal';
import { isTime } from './compare.js';

/** The last lines of a test. */
export interface Expectation {
  /** Statements about `answer`; empty if the handler must only not throw. */
  readonly checks: readonly string[];
  /** The TypeScript type of the answer; `''` for the type of the handler. */
  readonly type: string;
}

/**
 * The expected result of an event: the recorded response; without a response, or after a failure, that the event is handled.
 * Members with times and generated ids differ in each run, and are not compared.
 */
export function expectation(event: unknown, answer: unknown, runner: 'vitest' | 'jest' | 'node'): Expectation {
  const isNode = runner === 'node';
  const equal = (actual: string, expected: string) =>
    isNode ? `assert.deepEqual(${actual}, ${expected});` : `expect(${actual}).toEqual(${expected});`;
  const known = JSON.stringify(event) ?? '';
  const { statusCode, body } = membersOf(answer);
  if (isHttp(event) && (answer === undefined || statusCode !== undefined)) {
    const type = '{ readonly statusCode: number; readonly body: string }';
    if (typeof statusCode !== 'number' || statusCode >= 500) {
      const check = isNode ? 'assert.ok(answer.statusCode < 500);' : 'expect(answer.statusCode).toBeLessThan(500);';
      return { checks: [check], type };
    }
    const content = fromJson(body);
    const status = equal('answer.statusCode', String(statusCode));
    if (content === undefined || redactedPaths(content, '').length > 0) return { checks: [status], type };
    const literal = literalOf(content, 'body', known);
    if (!literal.isPartial) return { checks: [status, equal('JSON.parse(answer.body)', literal.text)], type };
    return { checks: [status, 'const body = JSON.parse(answer.body);', equal('body', literal.text)], type };
  }
  if (isBatch(event) && (answer === undefined || hasFailures(answer)))
    return { checks: [equal('answer', '{"batchItemFailures":[]}')], type: 'unknown' };
  if (answer === undefined || redactedPaths(answer, '').length > 0) return { checks: [], type: '' };
  // Lambda's response to a handler without a result.
  if (answer === null) return { checks: [equal('answer ?? null', 'null')], type: 'unknown' };
  const literal = literalOf(answer, 'result', known);
  if (!literal.isPartial) return { checks: [equal('answer', literal.text)], type: 'unknown' };
  return {
    checks: ['const result = JSON.parse(JSON.stringify(answer));', equal('result', literal.text)],
    type: 'unknown',
  };
}

/** A random id: a UUID, a ULID and the like. */
const GENERATED_ID = /^(?=.*\d)[\w-]{16,}$/;

interface Literal {
  readonly text: string;
  /** True if the literal contains members of the actual value. */
  readonly isPartial: boolean;
}

/**
 * JSON of a value in which members that differ in each run are read from the actual value: `{"id":body.id,"n":1}`.
 *
 * @param path the expression of the actual value
 * @param known JSON of the event: its values are the same in each run
 */
function literalOf(value: unknown, path: string, known: string): Literal {
  const isGenerated = isTime(value) || (typeof value === 'string' && GENERATED_ID.test(value));
  if (isGenerated && !known.includes(String(value))) return { text: path, isPartial: true };
  if (typeof value !== 'object' || value === null) return { text: JSON.stringify(value), isPartial: false };
  const members = Object.entries(value).map(([key, member]) => {
    const at = Array.isArray(value) ? `[${key}]` : /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
    return [key, literalOf(member, path + at, known)] as const;
  });
  const isPartial = members.some(([, member]) => member.isPartial);
  const text = Array.isArray(value)
    ? `[${members.map(([, member]) => member.text).join(',')}]`
    : `{${members.map(([key, member]) => `${JSON.stringify(key)}:${member.text}`).join(',')}}`;
  return { text, isPartial };
}

function isHttp(event: unknown): boolean {
  const { requestContext, httpMethod } = membersOf(event);
  return typeof httpMethod === 'string' || isObject(membersOf(requestContext).http);
}

const BATCHES = ['aws:sqs', 'aws:kinesis', 'aws:dynamodb'];

/** True for a batch of which the handler reports single failures. */
function isBatch(event: unknown): boolean {
  return BATCHES.includes(stringOf(firstRecord(event).eventSource));
}

function hasFailures(answer: unknown): boolean {
  const { batchItemFailures } = membersOf(answer);
  return Array.isArray(batchItemFailures) && batchItemFailures.length > 0;
}

export function firstRecord(event: unknown): Members {
  const { Records } = membersOf(event);
  return membersOf(Array.isArray(Records) ? Records[0] : undefined);
}

/** The paths of values with redacted text; JSON in strings is read as a value. */
export function redactedPaths(value: unknown, path: string): readonly string[] {
  if (typeof value === 'string') {
    if (!value.includes(REDACTED)) return [];
    const inner = fromJson(value);
    return isObject(inner) ? redactedPaths(inner, path) : [path];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => redactedPaths(member, `${path}.${key}`));
}
