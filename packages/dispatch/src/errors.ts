import { FrameworkError } from '@sallyport/core';

/** Every code that this package throws. */
export type DispatchErrorCode =
  | 'dispatch.not_an_object'
  | 'dispatch.unknown_event'
  | 'dispatch.no_adapter'
  | 'dispatch.direct_refused'
  | 'dispatch.duplicate_surface'
  | 'dispatch.invalid_surface'
  | 'dispatch.invalid_extension';

export const NOT_AN_OBJECT_TEXT = 'framework: event must be an object';
export const UNKNOWN_EVENT_TEXT = 'framework: unknown event type';

/** An error of this package; its code is one of the documented ones. */
export function dispatchError(code: DispatchErrorCode, message: string, details?: unknown): FrameworkError {
  return new FrameworkError(code, message, { details });
}
