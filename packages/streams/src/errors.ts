import { FrameworkError } from '@sallyport/core';
import { INVALID_CONFIGURATION } from '@sallyport/core/options';

/** Every code that this package's own errors carry, and when. */
export type StreamsErrorCode =
  /** A registration, an option, `maxDataBytes` or a variable is invalid. */
  | typeof INVALID_CONFIGURATION
  /** No record of a batch was handled, and its registration has `failWhole`. The cause is the error of the first record. */
  | 'streams.batch_failed'
  /** A failed record has no identifier, and an empty report would lose the record. */
  | 'streams.missing_identifier'
  /** No handler is registered for this topic or event. In logs also this queue or stream. */
  | 'streams.no_handler'
  /** Replaces a thrown value that is not an error, and any error with `maskErrors`. */
  | 'streams.handler_failed'
  /** The deadline passed before a topic or event-bus handler completed or started. */
  | 'streams.deadline_exceeded'
  /** An entrypoint received an event without records, or a value that is not an object. */
  | 'streams.invalid_event'
  /** A middleware called `next()` a second time. */
  | 'streams.next_called_twice'
  /** `recordBytes` or `recordJson` found no data, or data that is not JSON; `tableImage` found a value with an unknown DynamoDB type. */
  | 'streams.invalid_record'
  /** `payload` found a value that does not fit its schema. The message names the fields, never their values. */
  | 'streams.payload_invalid'
  /** `requireEventBusEnvelope` found fields missing. `details.missing` names them. */
  | 'streams.envelope_invalid'
  /** A log subscription could not be decoded. The message contains the reason and never quotes the subscription. */
  | 'streams.log_subscription_invalid'
  /** `createKinesisJsonRecord` rejected its input. */
  | 'streams.record_invalid'
  /** `reportKinesisPutRecordsFailures` rejected its input. */
  | 'streams.put_result_invalid'
  /** The service did not accept an entry of a sender. `details.reason` has its code. */
  | 'streams.send_failed'
  /** An entry of a sender exceeds the size that its service accepts. */
  | 'streams.entry_too_large'
  /** The event is of a tumbling window. */
  | 'streams.window_unsupported';

/** An error with a message for developers. The message never contains data of an event. */
export function streamsError(code: StreamsErrorCode, text: string, details?: unknown): FrameworkError {
  return new FrameworkError(code, `framework: ${text}`, { details });
}

/** A rejected registration or option. */
export function refused(text: string): FrameworkError {
  return streamsError(INVALID_CONFIGURATION, text);
}

/** The error of a record or event that exceeded the deadline. */
export function deadlineExceeded(): FrameworkError {
  return streamsError('streams.deadline_exceeded', 'deadline exceeded');
}

/**
 * Rejects a batch of a tumbling window: the service counts an answer without the window's `state` as failed and sends the
 * batch again (https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-windows.html).
 */
export function windowUnsupported(): FrameworkError {
  return streamsError(
    'streams.window_unsupported',
    'tumbling windows are not supported: remove TumblingWindowInSeconds from the event source mapping',
  );
}
