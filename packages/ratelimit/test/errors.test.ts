import { FrameworkError, isFrameworkError } from '@sallyport/core';
import { RATE_LIMIT_CODES, RateLimitError } from '@sallyport/ratelimit';

describe('errors of the package', () => {
  it('have these codes', () => {
    expect(RATE_LIMIT_CODES).toEqual([
      'ratelimit.invalid_config',
      'ratelimit.invalid_input',
      'ratelimit.store_unavailable',
    ]);
  });

  it('are framework errors, immutable, with their cause', () => {
    const cause = new Error('socket');
    const error = new RateLimitError('ratelimit.store_unavailable', 'framework: gone', { retryable: true, cause });
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toBeInstanceOf(FrameworkError);
    expect([isFrameworkError(error), Object.isFrozen(error), error.cause, error.retryable, error.status]).toEqual([
      true,
      true,
      cause,
      true,
      500,
    ]);
  });

  it('are recognized across two copies of the package, and other errors are not', () => {
    const foreign = { [Symbol.for('sallyport.RateLimitError/1')]: true };
    expect(foreign instanceof RateLimitError).toBe(true);
    expect([new FrameworkError('x') instanceof RateLimitError, (null as unknown) instanceof RateLimitError]).toEqual([
      false,
      false,
    ]);
  });

  it('of a class derived from it are its own', () => {
    class Derived extends RateLimitError {}
    const error = new Derived('ratelimit.invalid_input', 'framework: x');
    expect([error instanceof Derived, error instanceof RateLimitError, Object.isFrozen(error)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(new RateLimitError('ratelimit.invalid_input', 'framework: x') instanceof Derived).toBe(false);
  });
});
