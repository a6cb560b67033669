import { readFileSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromJson, isObject } from '@sallyport/core/internal';
import type { Failure, Frame } from './failure-record.js';
import type { InvocationRecord } from './journal.js';

/** An error as a log line or the process describes it. */
interface Described {
  readonly type: string;
  readonly message: string;
  readonly trace: readonly string[];
  readonly causes: readonly { readonly type: string; readonly message: string }[];
}

const SOURCE = /\.[cm]?[jt]sx?$/;
const FRAME = /^\s*at (?:(?:async )?(.*?) \()?((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*):(\d+):(\d+)\)?$/;
const MAX_FAILURES = 10;
const MAX_FRAMES = 10;
const STDERR_LINES = 10;
const AROUND = 1;

const HINTS: Readonly<Record<string, string>> = {
  'Sandbox.Timedout':
    'find what the handler waits for in its log lines and AWS calls, or raise the limit with --timeout <seconds>',
  'Runtime.OutOfMemory': 'raise the limit with --memory <MB>, or find what the handler keeps between invocations',
  TooManyRequestsException: 'raise the limit with --concurrency <number>',
};

/** Creates the function that reads the failures of a sanitized record. @param folder the project, for frames and their lines */
export function createFailures(folder: string): (record: InvocationRecord) => readonly Failure[] {
  const toFailure = (kind: Failure['kind'], given: Described, more: Partial<Failure> = {}): Failure => {
    const all = given.trace.flatMap((line) => parseFrame(line, folder) ?? []);
    const frames = all.filter((frame) => frame !== 'other').slice(0, MAX_FRAMES);
    const { type, message, causes } = given;
    return {
      kind,
      type,
      message,
      record: null,
      causes,
      frames,
      otherFrames: all.length - frames.length,
      code: linesAround(frames[0], folder),
      hint: HINTS[type] ?? null,
      stderr: [],
      ...more,
    };
  };

  return (record) => {
    const { error } = record;
    if (!hasEndedBadly(record)) return [];
    const logged = loggedErrors(record).map(({ recordId, ...given }) =>
      toFailure(recordId === null ? 'request' : 'record', given, { record: recordId }),
    );
    // The app throws an error without details, and logs the original error.
    const isMasked = error?.errorMessage.startsWith('framework: ') ?? false;
    if (logged.length > 0 && (error === null || isMasked)) return logged.slice(0, MAX_FAILURES);
    if (error !== null) return [ofFunction(record, error, toFailure)];
    return [...rejections(record, toFailure), ...refusals(record, toFailure)];
  };
}

/** True if the invocation failed, its client received an error, or records of its batch failed. */
export function hasEndedBadly({ status, summary }: Pick<InvocationRecord, 'status' | 'summary'>): boolean {
  return status === 'failed' || (status === 'ok' && /^[45]\d\d|\bfailed\b/.test(summary));
}

type ToFailure = (kind: Failure['kind'], given: Described, more?: Partial<Failure>) => Failure;

function ofFunction(
  { logs, thrown }: InvocationRecord,
  { errorType, errorMessage, trace = [] }: NonNullable<InvocationRecord['error']>,
  toFailure: ToFailure,
): Failure {
  const [, ...causes] = thrown;
  const kind = errorType === 'local.build_failed' ? 'build' : ACCESS.has(errorType) ? 'access' : 'function';
  const message = errorMessage.replace(/^RequestId: \S+ Error: /, '');
  const hasEnded = errorType === 'Runtime.ExitError' || errorType === 'Runtime.OutOfMemory';
  const written = logs.filter(({ level }) => level === 'stderr').map(({ text }) => text);
  return toFailure(
    kind,
    { type: errorType, message, trace, causes: causes.map(({ type, message: text }) => ({ type, message: text })) },
    { stderr: hasEnded ? written.slice(-STDERR_LINES) : [] },
  );
}

const ACCESS = new Set(['Unauthorized', 'Forbidden']);

/** Errors in the log lines of the app: one JSON object with `error` per line. */
function loggedErrors({ logs }: InvocationRecord): readonly (Described & { readonly recordId: string | null })[] {
  return logs.flatMap(({ text }) => {
    if (!text.startsWith('{') || !text.includes('"error"')) return [];
    const line = fromJson(text);
    if (!isObject(line) || !isObject(line.error) || !/^(?:ERROR|FATAL)$/i.test(String(line.level))) return [];
    const recordId = typeof line.record_id === 'string' ? line.record_id : null;
    return [{ ...describe(line.error), causes: causesOf(line.error), recordId }];
  });
}

function describe(error: Readonly<Record<string, unknown>>): Omit<Described, 'causes'> {
  const { name, message, stack } = error;
  const trace = Array.isArray(stack) ? stack.map(String) : typeof stack === 'string' ? stack.split('\n') : [];
  return {
    type: typeof name === 'string' ? name : 'Error',
    message: typeof message === 'string' ? message : '',
    trace,
  };
}

function causesOf({ cause }: Readonly<Record<string, unknown>>): Described['causes'] {
  if (!isObject(cause)) return typeof cause === 'string' ? [{ type: 'cause', message: cause }] : [];
  const { type, message } = describe(cause);
  return [{ type, message }, ...causesOf(cause)];
}

/** Access that the app denied. */
function rejections({ gate }: InvocationRecord, toFailure: ToFailure): readonly Failure[] {
  return gate.flatMap(({ record, posture, required, outcome, scopes }) => {
    if (outcome !== 'unauthenticated' && outcome !== 'forbidden') return [];
    const accepts = `${posture}${required.length > 0 ? ` with ${required.join(', ')}` : ''}`;
    const caller =
      outcome === 'unauthenticated'
        ? 'the caller is anonymous: the principal resolver found no valid credentials'
        : `the caller has ${scopes.length === 0 ? 'no scopes' : scopes.join(', ')}`;
    const asked = required.map((scope) => ` --scope ${scope}`).join('');
    return toFailure(
      'access',
      { type: outcome, message: `${record} accepts ${accepts}; ${caller}`, trace: [], causes: [] },
      { hint: `send a token of the local issuer: sallyport send … --as ada${asked}` },
    );
  });
}

/** Responses of the function that the door rejected. */
function refusals({ logs }: InvocationRecord, toFailure: ToFailure): readonly Failure[] {
  const rejected = logs.find(({ text }) => text.startsWith(DOOR_REJECTED));
  if (!rejected) return [];
  const message = rejected.text.slice('framework: '.length);
  return [toFailure('door', { type: 'rejected response', message, trace: [], causes: [] })];
}

/** The beginning of the log line about a response that the door rejected. */
export const DOOR_REJECTED = 'framework: the door rejected the response';

/** A frame of the project, `other` for a frame outside it, `undefined` for a line that is not a frame. */
function parseFrame(line: string, folder: string): Frame | 'other' | undefined {
  const found = FRAME.exec(line);
  if (!found) return /^\s*at /.test(line) ? 'other' : undefined;
  const [, name = '', place = '', row, column] = found;
  const path = toPath(place);
  const file = path === undefined ? '..' : relative(folder, path);
  const isOwn =
    !file.startsWith('..') && !isAbsolute(file) && !/(?:^|[/\\])(?:node_modules|\.sallyport)[/\\]/.test(file);
  return isOwn ? { file, line: Number(row), column: Number(column), name } : 'other';
}

function toPath(place: string): string | undefined {
  if (!place.startsWith('file://')) return place;
  try {
    return fileURLToPath(place);
  } catch {
    return undefined;
  }
}

function linesAround(frame: Frame | undefined, folder: string): Failure['code'] {
  // The function wrote the path: only source files are read.
  if (!frame || !SOURCE.test(frame.file)) return [];
  try {
    const lines = readFileSync(join(folder, frame.file), 'utf8').split('\n');
    const first = Math.max(1, frame.line - AROUND);
    return lines
      .slice(first - 1, frame.line + AROUND)
      .map((text, index) => ({ line: first + index, text, isHere: first + index === frame.line }));
  } catch {
    return [];
  }
}
