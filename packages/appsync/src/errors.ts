import type { AppCode } from '@sallyport/core';

/** Every code of this package, and when. A failed field of a handler keeps the code of what it threw. */
export type AppSyncErrorCode =
  /** The event has blank names or names that GraphQL does not allow, no `arguments`, or `arguments` that are not an object. */
  | Extract<AppCode, 'app.bad_request'>
  /** No handler is registered for the field. */
  | Extract<AppCode, 'app.not_found'>
  /** The open container has an HTTP route for the field, of another method. */
  | Extract<AppCode, 'app.method_not_allowed'>
  /** An element of a batch was not started before the deadline. */
  | Extract<AppCode, 'app.timeout'>
  /** The handler failed, or answered with bytes or a stream. */
  | Extract<AppCode, 'app.internal'>;
