import { FrameworkError, type FrameworkErrorInit } from '@sallyport/core';
import type { INVALID_CONFIGURATION } from '@sallyport/core/options';

/** Every code that this package's own errors carry, and when. */
export type TriggersErrorCode =
  /** A registration or an option is invalid. */
  | typeof INVALID_CONFIGURATION
  /** The event matches a row of the detection table, but its content is invalid, or it has more than 10,000 records. */
  | 'triggers.invalid_event'
  /** No handler is registered for this bucket, source, topic or secret. The cause, which only logs show, names the received source. */
  | 'triggers.no_handler'
  /** The invocation used no alias that a registration names, so a device or a client may have written any part of the event. */
  | 'triggers.foreign_alias'
  /** A Cognito trigger rejects the request, and the user sees the message; or a request of Alexa is for another skill. */
  | 'triggers.denied'
  /** A handler returned a value that the service could not read, or that exceeds the service's limit. */
  | 'triggers.invalid_answer'
  /** The result of a custom resource could not be sent to CloudFormation. */
  | 'triggers.response_failed';

/** An error with a message for developers. The message never contains data of an event. */
export function triggersError(code: TriggersErrorCode, text: string, init?: FrameworkErrorInit): FrameworkError {
  return new FrameworkError(code, `framework: ${text}`, init);
}

/** A rejected registration or option. */
export function refused(text: string): FrameworkError {
  return triggersError('app.invalid_configuration', text);
}

/** An event that cannot be read. The message names the place and never quotes the event. */
export function invalidEvent(kind: string, place: string): FrameworkError {
  return triggersError('triggers.invalid_event', `${kind} event: ${place}`);
}

/** A handler's result that the service could not read. */
export function invalidAnswer(text: string): FrameworkError {
  return triggersError('triggers.invalid_answer', text);
}
