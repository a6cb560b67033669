import { FrameworkError, type FrameworkErrorInit } from '@sallyport/core';
import type { INVALID_CONFIGURATION } from '@sallyport/core/options';

/** Every code that this package's own errors carry, and when. */
export type TriggersErrorCode =
  /** A registration or an option is not what it must be. */
  | typeof INVALID_CONFIGURATION
  /** The event has the shape of its row, and cannot be read inside, or has more than 10,000 records. */
  | 'triggers.invalid_event'
  /** Nothing is registered for this bucket, source, topic or secret. The cause, which only logs show, says what came. */
  | 'triggers.no_handler'
  /** A Cognito trigger refuses. Its text reaches the user. */
  | 'triggers.denied'
  /** A handler returned something that the service could not read, or that is too large for it. */
  | 'triggers.invalid_answer'
  /** CloudFormation could not be told the result of a custom resource. */
  | 'triggers.response_failed';

/** An error with a text for developers. Never holds anything of an event. */
export function triggersError(code: TriggersErrorCode, text: string, init?: FrameworkErrorInit): FrameworkError {
  return new FrameworkError(code, `framework: ${text}`, init);
}

/** A rejected registration or option. */
export function refused(text: string): FrameworkError {
  return triggersError('app.invalid_configuration', text);
}

/** An event that cannot be read. The text names the place and never quotes the event. */
export function invalidEvent(kind: string, place: string): FrameworkError {
  return triggersError('triggers.invalid_event', `${kind} event: ${place}`);
}

/** A handler's result that the service could not read. */
export function invalidAnswer(text: string): FrameworkError {
  return triggersError('triggers.invalid_answer', text);
}
