import { canonicalJson } from '@sallyport/core/internal';
import { ExecutionServiceError, invalidInput } from '../errors.js';

/** The canonical JSON of a value: equal values have equal bytes, which Lambda compares. */
export function toPayload(value: unknown, what: string, maxBytes: number): Buffer {
  const bytes = Buffer.from(writeJson(value, what), 'utf8');
  if (bytes.length <= maxBytes) return bytes;
  const message = `${what} has ${bytes.length} bytes of JSON, at most ${maxBytes} are possible: store it and pass its reference`;
  throw new ExecutionServiceError('durable.too_large', message);
}

function writeJson(value: unknown, what: string): string {
  try {
    if (value === undefined) throw new TypeError('undefined');
    return canonicalJson(value, rejectOthers);
  } catch (cause) {
    const message = `${what} must be a value that JSON can represent`;
    throw new ExecutionServiceError('durable.invalid_input', message, { cause });
  }
}

function rejectOthers(part: unknown): void {
  const kind = typeof part;
  if (kind === 'function' || kind === 'symbol' || kind === 'bigint') throw new TypeError(`a ${kind}`);
  if (kind === 'number' && !Number.isFinite(part)) throw new TypeError('a number that is not finite');
  if (kind !== 'object' || part === null || Array.isArray(part)) return;
  const prototype: unknown = Object.getPrototypeOf(part);
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError('an instance of a class');
}

/** @throws ExecutionServiceError `durable.invalid_input` without the value, which can be a secret */
export function requireText(value: unknown, what: string, maxLength: number): string {
  if (typeof value === 'string' && value !== '' && value.length <= maxLength) return value;
  throw invalidInput(`${what} must be a string of 1 to ${maxLength} characters`);
}
