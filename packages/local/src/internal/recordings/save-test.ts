import { toArn } from '../aws/names.js';
import { localError } from '../errors.js';
import type { InvocationRecord } from '../journal/journal.js';
import { REQUEST_ID, renderTestFile, toIncident } from './as-test.js';
import { type TestedFunction, testSettings, writeTest } from './test-file.js';

/** The functions of a run: the only one, or by the name in `origin.function`. */
export interface TestedFunctions extends TestedFunction {
  readonly name: string;
  /** The functions of a run of several functions; else empty. */
  readonly others: readonly (Pick<TestedFunction, 'entry' | 'handler'> & { readonly name: string })[];
}

/**
 * Writes a test of the service that sends the event of an invocation, and expects its response; after a failure, that it is handled.
 *
 * @returns the file, relative to the project
 * @throws FrameworkError `local.invalid_request` for an invocation that still runs or streamed, and if the file cannot be written
 */
export function saveTest(record: InvocationRecord, functions: TestedFunctions): string {
  const { id, requestId, event, answer, error, ms, client, origin } = record;
  if (ms === null) throw localError('local.invalid_request', `framework: invocation ${id} still runs`);
  if (client?.streamed)
    throw localError(
      'local.invalid_request',
      `framework: the response of invocation ${id} was streamed: a test file calls only handlers that return their response`,
    );
  const { others, ...only } = functions;
  const tested = { ...only, ...others.find(({ name }) => name === origin.function) };
  const document = error === null && answer !== undefined ? { recording: { recorded_at: '', event }, answer } : event;
  const incident = toIncident(withoutId(document, requestId));
  const invokedArn =
    origin.alias === undefined ? {} : { invokedArn: toArn('lambda', `function:${tested.name}:${origin.alias}`) };
  return writeTest(tested, nameOf(record), (file) =>
    renderTestFile(
      { ...incident, ...invokedArn },
      { source: `\`sallyport dev\` from invocation ${id}`, ...testSettings(tested, file) },
    ),
  );
}

/** The id of the invocation differs in each run. */
function withoutId<T>(value: T, requestId: string): T {
  const text = JSON.stringify(value);
  return requestId === '' ? value : (JSON.parse(text.replaceAll(requestId, REQUEST_ID)) as T);
}

/** `post-orders-12`. */
function nameOf({ id, kind, origin }: InvocationRecord): string {
  const words =
    [kind ?? origin.kind, origin.target]
      .join(' ')
      .toLowerCase()
      .match(/[a-z\d]+/g) ?? [];
  return [...new Set([...words, String(id)])].join('-').slice(-80).replace(/^-/, '');
}
