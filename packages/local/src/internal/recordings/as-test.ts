import { fromJson, isObject, type Members, membersOf, REDACTED, stringOf } from '@sallyport/core/internal';
import { cleanText } from '../journal/cleaner.js';

/** A failed event or a recording, for a test. */
export interface Incident {
  /** Sanitized. */
  readonly event: unknown;
  /** The sanitized response of a recording; `undefined` if the file has no response. */
  readonly answer: unknown;
}

/** Settings of the file. */
export interface TestFileSettings {
  /** The file from which the incident comes, for the comment. */
  readonly source: string;
  /** The module of the handler, relative to the test: `../src/lambda.js`. */
  readonly module: string;
  /** The name of the exported handler. */
  readonly handler: string;
  readonly runner: 'vitest' | 'jest' | 'node';
  /** True if the file may contain types. */
  readonly isTyped: boolean;
}

/** Reads a recording, with or without its response, or an event. */
export function toIncident(document: unknown): Incident {
  const { recording, answer } = membersOf(document);
  const recorded = membersOf(recording ?? document);
  const isRecording = typeof recorded.recorded_at === 'string' && recorded.event !== undefined;
  return {
    event: cleanText(isRecording ? recorded.event : document),
    answer: answer === undefined ? undefined : cleanText(answer),
  };
}

/** A test file that sends the event to the handler, and expects the recorded response; for an event that failed, that it is handled. */
export function renderTestFile({ event, answer }: Incident, settings: TestFileSettings): string {
  const { source, module, handler, runner, isTyped } = settings;
  const hidden = redactedPaths(event, 'event');
  const notes =
    hidden.length === 0 ? [] : [`// Replace the redacted values that the handler needs: ${hidden.join(', ')}.`];
  const { checks, type } = expectation(event, answer, runner);
  const cast = isTyped ? ` as ${type}` : '';
  const call = `await ${handler}(event, context)`;
  return [
    ...imports(runner),
    `import { ${handler} } from '${module}';`,
    '',
    `// Made by \`sallyport replay --as-test\` from ${source}. Its values are sanitized.`,
    ...notes,
    `const event = ${JSON.stringify(event, undefined, 2)};`,
    "const context = { awsRequestId: 'test', getRemainingTimeInMillis: () => 10_000 };",
    '',
    `test('handles ${titleOf(event)}', async () => {`,
    `  const answer = ${cast === '' ? call : `(${call})${cast}`};`,
    ...checks.map((line) => `  ${line}`),
    '});',
    '',
  ].join('\n');
}

function imports(runner: TestFileSettings['runner']): readonly string[] {
  if (runner === 'vitest') return ["import { expect, test } from 'vitest';"];
  return runner === 'jest' ? [] : ["import assert from 'node:assert/strict';", "import { test } from 'node:test';"];
}

interface Expectation {
  readonly checks: readonly string[];
  /** The TypeScript type of the answer. */
  readonly type: string;
}

function expectation(event: unknown, answer: unknown, runner: TestFileSettings['runner']): Expectation {
  const isNode = runner === 'node';
  const equal = (actual: string, value: unknown) => {
    const text = JSON.stringify(value);
    return isNode ? `assert.deepEqual(${actual}, ${text});` : `expect(${actual}).toEqual(${text});`;
  };
  if (isHttp(event)) {
    const { statusCode, body } = membersOf(answer);
    const type = '{ readonly statusCode: number; readonly body: string }';
    if (typeof statusCode !== 'number' || statusCode >= 500) {
      const check = isNode ? 'assert.ok(answer.statusCode < 500);' : 'expect(answer.statusCode).toBeLessThan(500);';
      return { checks: [check], type };
    }
    const content = fromJson(body);
    const isKnown = content !== undefined && redactedPaths(content, '').length === 0;
    return {
      checks: [equal('answer.statusCode', statusCode), ...(isKnown ? [equal('JSON.parse(answer.body)', content)] : [])],
      type,
    };
  }
  if (isBatch(event)) return { checks: [equal('answer', { batchItemFailures: [] })], type: 'unknown' };
  if (answer === undefined || redactedPaths(answer, '').length > 0) {
    return {
      checks: [isNode ? 'assert.notEqual(answer, undefined);' : 'expect(answer).toBeDefined();'],
      type: 'unknown',
    };
  }
  return { checks: [equal('answer', answer)], type: 'unknown' };
}

function isHttp(event: unknown): boolean {
  const { requestContext, httpMethod } = membersOf(event);
  return typeof httpMethod === 'string' || isObject(membersOf(requestContext).http);
}

const BATCHES = ['aws:sqs', 'aws:kinesis', 'aws:dynamodb'];

/** The first record of a batch of which the handler reports single failures. */
function isBatch(event: unknown): boolean {
  return BATCHES.includes(stringOf(firstRecord(event).eventSource));
}

function firstRecord(event: unknown): Members {
  const { Records } = membersOf(event);
  return membersOf(Array.isArray(Records) ? Records[0] : undefined);
}

/** `a message of orders`, `GET /notes`, `the event InvoicePaid of billing`. */
function titleOf(event: unknown): string {
  const { requestContext, httpMethod, path, rawPath, source, 'detail-type': detailType } = membersOf(event);
  const method = stringOf(membersOf(membersOf(requestContext).http).method) || stringOf(httpMethod);
  if (method !== '') return quotable(`${method} ${stringOf(rawPath) || stringOf(path)}`);
  if (typeof detailType === 'string') return quotable(`the event ${detailType} of ${stringOf(source)}`);
  const { eventSource, eventSourceARN } = firstRecord(event);
  const [, name = ''] = /([^:/]+)(?:\/stream\/.*)?$/.exec(stringOf(eventSourceARN)) ?? [];
  if (name === '') return 'the event that failed';
  return quotable(`${eventSource === 'aws:sqs' ? 'a message' : 'records'} of ${name}`);
}

const quotable = (text: string) => text.replace(/[^\w ./{}$@-]/g, '');

function redactedPaths(value: unknown, path: string): readonly string[] {
  if (typeof value === 'string') {
    if (!value.includes(REDACTED)) return [];
    const inner = fromJson(value);
    return isObject(inner) ? redactedPaths(inner, path) : [path];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => redactedPaths(member, `${path}.${key}`));
}
