import { membersOf, stringOf } from '@sallyport/core/internal';
import { cleanText } from '../journal/cleaner.js';
import { expectation, firstRecord, redactedPaths } from './expectation.js';

/** A failed event or a recording, for a test. */
export interface Incident {
  /** Sanitized. */
  readonly event: unknown;
  /** The sanitized response of a recording; `undefined` if the file has no response. */
  readonly answer: unknown;
  /** The ARN with the invoked alias; absent for the default of a run. */
  readonly invokedArn?: string;
}

/** Settings of the file. */
export interface TestFileSettings {
  /** The command and its input, for the comment. */
  readonly source: string;
  /** The module of the handler, relative to the test: `../src/lambda.js`. */
  readonly module: string;
  /** The name of the exported handler. */
  readonly handler: string;
  readonly runner: 'vitest' | 'jest' | 'node';
  /** True if the file may contain types. */
  readonly isTyped: boolean;
}

/** As in {@link Incident.answer}, where it replaces the id of the recorded invocation. */
export const REQUEST_ID = 'request-id';

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
export function renderTestFile({ event, answer, invokedArn }: Incident, settings: TestFileSettings): string {
  const { source, module, handler, runner, isTyped } = settings;
  const hidden = redactedPaths(event, 'event');
  const notes =
    hidden.length === 0 ? [] : [`// Replace the redacted values that the handler needs: ${hidden.join(', ')}.`];
  const { checks, type } = expectation(event, answer, runner);
  const cast = isTyped && type !== '' ? ` as ${type}` : '';
  const call = `await ${handler}(event, context)`;
  const arn = invokedArn === undefined ? '' : ` invokedFunctionArn: '${invokedArn}',`;
  return [
    ...imports(runner, checks.length > 0),
    `import { ${handler} } from '${module}';`,
    '',
    `// Made by ${source}. Its values are sanitized.`,
    ...notes,
    `const event = ${JSON.stringify(event, undefined, 2)};`,
    `const context = { awsRequestId: '${REQUEST_ID}',${arn} getRemainingTimeInMillis: () => 10_000 };`,
    '',
    `test('handles ${titleOf(event)}', async () => {`,
    checks.length === 0 ? `  ${call};` : `  const answer = ${cast === '' ? call : `(${call})${cast}`};`,
    ...checks.map((line) => `  ${line}`),
    '});',
    '',
  ].join('\n');
}

function imports(runner: TestFileSettings['runner'], hasChecks: boolean): readonly string[] {
  if (runner === 'jest') return [];
  if (runner === 'vitest') return [`import { ${hasChecks ? 'expect, ' : ''}test } from 'vitest';`];
  return [...(hasChecks ? ["import assert from 'node:assert/strict';"] : []), "import { test } from 'node:test';"];
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
