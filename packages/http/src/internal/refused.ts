import { FrameworkError } from '@sallyport/core';

/** What a helper was given it cannot send. The client reads `internal error`; the reason is in the cause, for logs. */
export function refused(reason: string): FrameworkError {
  return new FrameworkError('app.internal', undefined, { cause: new TypeError(`framework: ${reason}`) });
}
