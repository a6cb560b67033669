import { FrameworkError, INVALID_CONFIGURATION } from '@sallyport/core';

/** Every code that this package's own errors carry. */
export type StreamsErrorCode =
  | typeof INVALID_CONFIGURATION
  | 'streams.deadline_exceeded'
  | 'streams.envelope_invalid'
  | 'streams.handler_failed'
  | 'streams.invalid_event'
  | 'streams.invalid_record'
  | 'streams.log_subscription_invalid'
  | 'streams.missing_identifier'
  | 'streams.next_called_twice'
  | 'streams.no_handler'
  | 'streams.payload_invalid'
  | 'streams.put_result_invalid'
  | 'streams.record_invalid'
  | 'streams.window_unsupported';

/** An error with a text for developers. Never holds anything of an event. */
export function streamsError(code: StreamsErrorCode, text: string, details?: unknown): FrameworkError {
  return new FrameworkError(code, `framework: ${text}`, { details });
}

/** A refused registration or option. */
export function refused(text: string): FrameworkError {
  return streamsError(INVALID_CONFIGURATION, text);
}

/** Stands for a record or event that the deadline ended. */
export function deadlineExceeded(): FrameworkError {
  return streamsError('streams.deadline_exceeded', 'deadline exceeded');
}

/**
 * Refuses a batch of a tumbling window: the service counts an answer without the window's `state` as failed and sends the
 * batch again (https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-windows.html).
 */
export function windowUnsupported(): FrameworkError {
  return streamsError(
    'streams.window_unsupported',
    'tumbling windows are not supported: remove TumblingWindowInSeconds from the event source mapping',
  );
}
