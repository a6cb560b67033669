import { brandError, REDACTED } from '@sallyport/core/internal';

/**
 * A secret value. Log lines, spans, JSON, string conversion and `util.inspect` contain `[REDACTED]` instead of it; only
 * {@link Secret.reveal} returns it. Pass the `Secret` through your code, and reveal it where it is used.
 *
 * @typeParam T the value
 * @example
 * const key = await signingKey.get(ctx);
 * createHmac('sha256', key.reveal()).update(body);
 */
export class Secret<T = string> {
  static {
    brandError(Secret, 'sallyport.Secret');
  }

  readonly #value: T;
  /** The id of the version in AWS; it changes with every rotation. */
  readonly version: string;
  /** The value before the last rotation, if the reader has the option `previous` and such a value exists. */
  readonly previous: Secret<T> | undefined;

  /** Wraps a value, for example in a test of code that accepts a secret. Default version: `''`. */
  constructor(value: T, version = '', previous?: Secret<T>) {
    this.#value = value;
    this.version = version;
    this.previous = previous;
  }

  /** The value itself. Do not store it, log it or send it. */
  reveal(): T {
    return this.#value;
  }

  /** `[REDACTED]`. */
  toString(): string {
    return REDACTED;
  }

  /** `[REDACTED]`. */
  toJSON(): string {
    return REDACTED;
  }

  /** `[REDACTED]`. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return REDACTED;
  }
}
