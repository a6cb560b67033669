import { FrameworkError } from '@sallyport/core';
import { INVALID_CONFIGURATION } from '@sallyport/core/options';

/** Every code that this package's own errors carry, and when. */
export type StreamsErrorCode =
  /** A registration, an option, `maxDataBytes` or a variable is not what it must be. */
  | typeof INVALID_CONFIGURATION
  /** No record of a batch was handled, and its registration has `failWhole`. The cause is the error of the first record. */
  | 'streams.batch_failed'
  /** A failed record has no identifier, and an empty report would lose the record. */
  | 'streams.missing_identifier'
  /** No handler is registered for this topic or event. In logs also this queue or stream. */
  | 'streams.no_handler'
  /** Stands for a thrown value that is not an error, and for any error with `maskErrors`. */
  | 'streams.handler_failed'
  /** The deadline ended a topic or event-bus handler, or kept it from starting. */
  | 'streams.deadline_exceeded'
  /** An entrypoint was given something without records, or not an object. */
  | 'streams.invalid_event'
  /** A middleware called `next()` a second time. */
  | 'streams.next_called_twice'
  /** `recordBytes` or `recordJson` found nothing to read, or text that is not JSON; `tableImage` a value of a type that DynamoDB does not have. */
  | 'streams.invalid_record'
  /** `payload` found a value that does not fit its schema. The text names the fields, never their values. */
  | 'streams.payload_invalid'
  /** `requireEventBusEnvelope` found fields missing. `details.missing` names them. */
  | 'streams.envelope_invalid'
  /** A log subscription could not be decoded. The text says why and quotes nothing of it. */
  | 'streams.log_subscription_invalid'
  /** `createKinesisJsonRecord` rejected its input. */
  | 'streams.record_invalid'
  /** `reportKinesisPutRecordsFailures` rejected its input. */
  | 'streams.put_result_invalid'
  /** The event is of a tumbling window. */
  | 'streams.window_unsupported';

/** An error with a string for developers. Never holds anything of an event. */
export function streamsError(code: StreamsErrorCode, text: string, details?: unknown): FrameworkError {
  return new FrameworkError(code, `framework: ${text}`, { details });
}

/** A rejected registration or option. */
export function refused(text: string): FrameworkError {
  return streamsError(INVALID_CONFIGURATION, text);
}

/** Stands for a record or event that the deadline ended. */
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
