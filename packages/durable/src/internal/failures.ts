import { FrameworkError, isFrameworkError } from '@sallyport/core';
import { cleanText, membersOf, stringOf } from '@sallyport/core/internal';
import { DurableError, type DurableErrorCode } from '../errors.js';

/** A recorded failure. The names of its members are in the history of executions that still run: do not change them. */
interface RecordedFailure {
  /** `framework`: a FrameworkError with its code; `error`: any other error; `value`: a thrown value that is not an error. */
  readonly kind: 'framework' | 'error' | 'value';
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly statusCode?: number | undefined;
  readonly details?: unknown;
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly value?: unknown;
}

const DURABLE_ERROR: DurableError['name'] = 'DurableError';
const MAX_MESSAGE_CHARACTERS = 8_192;

/** A thrown value as JSON text. Never throws: a member that cannot be read is omitted. */
export function recordFailure(thrown: unknown): string {
  try {
    return JSON.stringify(describe(thrown));
  } catch {
    return JSON.stringify({ kind: 'error', name: 'Error', message: messageOf(thrown) } satisfies RecordedFailure);
  }
}

function describe(thrown: unknown): RecordedFailure {
  if (isFrameworkError(thrown)) {
    const { code, statusCode, details, headers } = thrown;
    return { kind: 'framework', name: thrown.name, message: thrown.message, code, statusCode, details, headers };
  }
  if (thrown instanceof Error || Object.prototype.toString.call(thrown) === '[object Error]') {
    return { kind: 'error', name: stringOf((thrown as Error).name), message: messageOf(thrown) };
  }
  return { kind: 'value', value: thrown };
}

/** The message of a failure without secrets, for the history and the log of the service. */
export function messageOf(thrown: unknown): string {
  try {
    const message = stringOf((thrown as Error | undefined)?.message);
    return cleanText(message.slice(0, MAX_MESSAGE_CHARACTERS));
  } catch {
    return '';
  }
}

/** The failure that was recorded: equal at every replay. */
export function restoreFailure(text: string, stack?: string): unknown {
  const { kind, name = 'Error', message = '', code = '', value, ...init } = parseFailure(text);
  if (kind === 'value') return value;
  // A FrameworkError is frozen.
  // By its name, not by a list of codes: a handler outside an execution needs no list.
  if (kind === 'framework' && name === DURABLE_ERROR) {
    return new DurableError(code as DurableErrorCode, message.replace(/^framework: /, ''));
  }
  if (kind === 'framework') return new FrameworkError(code, message, init);
  const error = new Error(message);
  if (error.name !== name) Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true });
  if (stack !== undefined) Object.defineProperty(error, 'stack', { value: stack, configurable: true, writable: true });
  return error;
}

function parseFailure(text: string): RecordedFailure {
  try {
    return membersOf(JSON.parse(text)) as unknown as RecordedFailure;
  } catch {
    return { kind: 'error', message: 'the recorded failure cannot be read' };
  }
}

/** The stack of an error, for the invocation in which it was thrown. */
export function stackOf(thrown: unknown): string | undefined {
  try {
    const stack = (thrown as Error | undefined)?.stack;
    return typeof stack === 'string' ? stack : undefined;
  } catch {
    return undefined;
  }
}
