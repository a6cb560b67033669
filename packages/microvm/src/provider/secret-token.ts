import { otherCopy, REDACTED } from '@sallyport/core/internal';

const values = new WeakMap<SecretToken, string>();

/** `inspect.custom` of `node:util`, without its import: https://nodejs.org/api/util.html#utilinspectcustom */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * A token of the service. As string, as JSON and in `util.inspect` it is `[REDACTED]`. Only the transport receives its value, as a
 * header of one request.
 */
export class SecretToken {
  /** @param value the token that the service returned */
  constructor(value: string) {
    values.set(this, value);
    Object.freeze(this);
  }

  /** `[REDACTED]` */
  toString(): string {
    return REDACTED;
  }

  /** `[REDACTED]` */
  toJSON(): string {
    return REDACTED;
  }

  /** `[REDACTED]` */
  [INSPECT](): string {
    return REDACTED;
  }
}

/**
 * Returns the value of a token. Not exported from the package.
 *
 * @throws FrameworkError `app.internal` for a token of another copy of this package
 */
export function revealToken(token: SecretToken): string {
  const value = values.get(token);
  if (value === undefined) throw otherCopy('@sallyport/microvm', 'the token');
  return value;
}
