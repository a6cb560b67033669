import { isFrameworkError } from '@sallyport/core';
import type { ExecutionServiceCode } from './errors.js';
import { requireText, toPayload } from './internal/json.js';
import { type ExecutionCallOptions, hadEarlierAttempt, sendToLambda } from './internal/lambda.js';

/** The result of an answer to a callback. */
export interface CallbackAnswer {
  /**
   * `completed` if this call answered the callback. `unknown` if the client repeated the call and then found the callback answered: by its first
   * attempt, if its response is lost, or by another caller.
   */
  readonly outcome: 'completed' | 'unknown';
}

/** Arguments of {@link failCallback}. */
export interface CallbackFailure {
  /** The reason, which the waiting handler receives. */
  readonly message: string;
  /** A short identifier for the kind of failure, for example `Rejected`. */
  readonly type?: string | undefined;
}

/** Limit of an operation's payload in this framework; Lambda's is 1 MB. */
export const MAX_VALUE_BYTES = 262_144;
const MAX_ID = 1024;
const MAX_MESSAGE = 8192;
const MAX_TYPE = 256;

const GONE: readonly [ExecutionServiceCode, string] = [
  'durable.callback_gone',
  'no open callback has this id: it is unknown, answered or timed out, or its execution has ended',
];
const GONE_NAMES = { ResourceNotFoundException: GONE, InvalidParameterValueException: GONE };

/**
 * Completes a callback: `ctx.callback` validates the value with its schema and returns it. The id is a capability; do not log it.
 * The role needs `lambda:SendDurableExecutionCallbackSuccess`.
 *
 * @param id the id that the `submit` function received
 * @param value at most 256 KiB of JSON
 * @throws ExecutionServiceError `durable.callback_gone`, `durable.invalid_input`, `durable.too_large`,
 *   `durable.service_unavailable` or `durable.service_failed`
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_SendDurableExecutionCallbackSuccess.html
 * @example await completeCallback(id, { approved: true }, { signal: ctx.signal });
 */
export async function completeCallback(
  id: string,
  value: unknown,
  options: ExecutionCallOptions = {},
): Promise<CallbackAnswer> {
  const input = { CallbackId: requireId(id), Result: toPayload(value, 'the value of a callback', MAX_VALUE_BYTES) };
  return answerCallback('SendDurableExecutionCallbackSuccessCommand', input, options);
}

/**
 * Fails a callback: `ctx.callback` rejects with `durable.callback_failed`. The role needs
 * `lambda:SendDurableExecutionCallbackFailure`.
 *
 * @throws ExecutionServiceError as {@link completeCallback}
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_SendDurableExecutionCallbackFailure.html
 * @example await failCallback(id, { type: 'Rejected', message: 'the export is too large' });
 */
export async function failCallback(
  id: string,
  failure: CallbackFailure,
  options: ExecutionCallOptions = {},
): Promise<CallbackAnswer> {
  const { message, type = 'CallbackError' } = failure;
  const error = {
    ErrorMessage: requireText(message, '"message"', MAX_MESSAGE),
    ErrorType: requireText(type, '"type"', MAX_TYPE),
  };
  const input = { CallbackId: requireId(id), Error: error };
  return answerCallback('SendDurableExecutionCallbackFailureCommand', input, options);
}

/**
 * Restarts the heartbeat timer of a callback. The role needs `lambda:SendDurableExecutionCallbackHeartbeat`.
 *
 * @throws ExecutionServiceError as {@link completeCallback}
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_SendDurableExecutionCallbackHeartbeat.html
 * @example await heartbeatCallback(id);
 */
export async function heartbeatCallback(id: string, options: ExecutionCallOptions = {}): Promise<void> {
  await sendToLambda(
    'SendDurableExecutionCallbackHeartbeatCommand',
    { CallbackId: requireId(id) },
    options,
    GONE_NAMES,
  );
}

async function answerCallback(command: string, input: object, options: ExecutionCallOptions): Promise<CallbackAnswer> {
  try {
    await sendToLambda(command, input, options, GONE_NAMES);
    return { outcome: 'completed' };
  } catch (error) {
    if (isFrameworkError(error) && error.code === 'durable.callback_gone' && hadEarlierAttempt(error)) {
      return { outcome: 'unknown' };
    }
    throw error;
  }
}

function requireId(id: unknown): string {
  return requireText(id, 'the id of a callback', MAX_ID);
}
