import { FrameworkError } from '@sallyport/core';
import type { LEFT_OUT } from '@sallyport/core/internal';
import type { INVALID_CONFIGURATION } from '@sallyport/core/options';

/** Every code that this package throws, and when. */
export type DispatchErrorCode =
  /** The event is not an object, or a list that is not a batch of resolver events. It has `details` if the list is recognized. */
  | 'dispatch.not_an_object'
  /** No row of the table matches the event. `details` is the `Explanation`. */
  | 'dispatch.unknown_event'
  /** A row matches, but no surface serves its kind. The message contains `agent invocations` if no surface accepts agent invocations. */
  | 'dispatch.no_adapter'
  /** The Lambda context has a client context or a Cognito identity, and `directInvocations` is `refuse`. */
  | 'dispatch.direct_refused'
  /** A request, a WebSocket message or a GraphQL field did not come through a front door of the option `doors`. The log line shows the received qualifier or id. */
  | 'dispatch.foreign_door'
  /** Construction: two surfaces serve one kind, or two accept agent invocations. */
  | 'dispatch.duplicate_surface'
  /** Construction: no surface, a kind that no row detects, more than 64 surfaces, or a surface of another container. */
  | 'dispatch.invalid_surface'
  /** Construction: an opt-in trigger has a kind of the fixed table, two rows for a kind, a malformed row, a row that matches anything, or a sample that is not detected. */
  | 'dispatch.invalid_extension'
  /** Construction, registration and `explain`: the bundle was built without the part that is used. The message names the export condition. */
  | typeof LEFT_OUT
  /** Construction: an option is unknown or has a wrong value. */
  | typeof INVALID_CONFIGURATION;

export const NOT_AN_OBJECT_TEXT = 'framework: event must be an object';
export const UNKNOWN_EVENT_TEXT = 'framework: unknown event type';

/** An error of this package; its code is documented. */
export function dispatchError(code: DispatchErrorCode, message: string, details?: unknown): FrameworkError {
  return new FrameworkError(code, message, { details });
}
