import { isFrameworkError } from '../../errors/errors.js';
import { toSourceFrames } from './source-frames.js';

/** Not imported: an import reads every member of `node:util`, which takes 4 ms of a cold start with Node 22 and 24. */
export const types = /* @__PURE__ */ nodeTypes();

function nodeTypes() {
  return process.getBuiltinModule('node:util').types;
}

const MAX_CAUSES = 5;
const MAX_ERRORS = 10;
const MAX_FRAMES = 30;
const MAX_NAME_BYTES = 128;
const MAX_FRAME_BYTES = 512;

/** Cleans the parts of an error. */
export interface ErrorCleaner {
  readonly stacks: boolean;
  prose(text: string, limit?: number): string;
  /** Counts values; `false` if the limit is reached. */
  count(nodes: number): boolean;
  value(value: unknown): unknown;
}

/** True if a value is an error, of any realm or copy of this package. Never throws. */
export function isError(value: unknown): value is Error {
  try {
    return types.isNativeError(value) || value instanceof Error || isFrameworkError(value);
  } catch {
    return false;
  }
}

/** `{ name, message, code?, status?, metadata?, stack?, cause?, errors? }`: the written members of an error. */
export function describeError(error: object, cleaner: ErrorCleaner): Record<string, unknown> {
  return describe(error, cleaner, []);
}

function describe(error: object, cleaner: ErrorCleaner, above: readonly object[]): Record<string, unknown> {
  const chain = [...above, error];
  const name = read(error, 'name');
  const message = read(error, 'message');
  cleaner.count(2);
  return {
    name: typeof name === 'string' && name !== '' ? cleaner.prose(name, MAX_NAME_BYTES) : 'Error',
    message: typeof message === 'string' ? cleaner.prose(message) : '[unreadable]',
    ...numbersOf(error, cleaner),
    ...(cleaner.stacks ? stackOf(error, cleaner) : undefined),
    ...causeOf(error, cleaner, chain),
    ...errorsOf(error, cleaner, chain),
  };
}

function numbersOf(error: object, cleaner: ErrorCleaner): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  const code = read(error, 'code');
  if (typeof code === 'string' && code !== '') out.code = cleaner.prose(code, MAX_NAME_BYTES);
  else if (Number.isFinite(code)) out.code = cleaner.value(code);
  const status = read(error, 'status') ?? read(error, 'statusCode');
  if (Number.isFinite(status)) out.status = status;
  const metadata = metadataOf(read(error, '$metadata'), cleaner);
  if (metadata) out.metadata = metadata;
  return out;
}

/** The metadata of an AWS SDK error that AWS Support needs. */
function metadataOf(metadata: unknown, cleaner: ErrorCleaner): Record<string, unknown> | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const out: Record<string, unknown> = {};
  const requestId = read(metadata, 'requestId');
  if (typeof requestId === 'string') out.request_id = cleaner.prose(requestId, MAX_NAME_BYTES);
  const status = read(metadata, 'httpStatusCode');
  if (Number.isFinite(status)) out.http_status_code = status;
  return Object.keys(out).length > 0 ? out : undefined;
}

function stackOf(error: object, cleaner: ErrorCleaner): Record<string, unknown> | undefined {
  const stack = read(error, 'stack');
  if (typeof stack !== 'string') return undefined;
  const frames: string[] = [];
  for (const line of stack.slice(0, 65_536).split('\n')) {
    const frame = line.trim();
    if (!frame.startsWith('at ')) continue;
    if (frames.length === MAX_FRAMES || !cleaner.count(1)) break;
    frames.push(frame);
  }
  if (frames.length === 0) return undefined;
  return { stack: toSourceFrames(frames).map((frame) => cleaner.prose(frame, MAX_FRAME_BYTES)) };
}

function causeOf(error: object, cleaner: ErrorCleaner, chain: readonly object[]): Record<string, unknown> | undefined {
  const cause = read(error, 'cause');
  return cause === undefined ? undefined : { cause: nested(cause, cleaner, chain) };
}

function errorsOf(error: object, cleaner: ErrorCleaner, chain: readonly object[]): Record<string, unknown> | undefined {
  const errors = read(error, 'errors');
  if (!Array.isArray(errors) || !(error instanceof AggregateError || read(error, 'name') === 'AggregateError'))
    return undefined;
  const shown: unknown[] = [];
  for (let index = 0; index < Math.min(errors.length, MAX_ERRORS) && cleaner.count(1); index += 1) {
    shown.push(nested(read(errors, String(index)), cleaner, chain));
  }
  if (errors.length > shown.length) shown.push(`[+${errors.length - shown.length}]`);
  return { errors: shown };
}

function nested(value: unknown, cleaner: ErrorCleaner, chain: readonly object[]): unknown {
  if (!isError(value)) {
    return { name: 'NonError', message: value === null ? 'null' : typeof value, value: cleaner.value(value) };
  }
  if (chain.includes(value)) return '[circular]';
  return chain.length > MAX_CAUSES || !cleaner.count(1) ? '[depth]' : describe(value, cleaner, chain);
}

/** A property that may throw when it is read. */
function read(object: object, key: string): unknown {
  try {
    return (object as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}
