import type { AppCode } from '@sallyport/core';

/** Codes of this package, with their causes. If a handler throws a coded error, the failed field has the same code. */
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
