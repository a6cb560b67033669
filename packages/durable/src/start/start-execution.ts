import { type Clock, systemClock } from '@sallyport/core';
import { sha256 } from '@sallyport/core/internal';
import { ExecutionServiceError, invalidInput } from './errors.js';
import { requireText, toPayload } from './internal/json.js';
import { type ExecutionCallOptions, sendToLambda } from './internal/lambda.js';

/** Arguments of {@link startExecution}. */
export interface StartExecutionInput extends ExecutionCallOptions {
  /** ARN, or name with qualifier, of the durable function: `...:function:exports:live`. Lambda rejects it without a qualifier. */
  readonly functionArn: string;
  /**
   * The idempotency key. Starts with the same name and event are the same execution. Names that do not match `[A-Za-z0-9_-]{1,64}` are
   * replaced by their SHA-256.
   */
  readonly name: string;
  /** The event that the function receives, at most 1 MiB of JSON. */
  readonly event: unknown;
  /** The clock for the outcome. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** The result of {@link startExecution}. */
export interface StartedExecution {
  /** ARN of the execution. */
  readonly arn: string;
  /** `existing` if the execution started before this call. */
  readonly outcome: 'started' | 'existing';
}

/** An asynchronous event has at most 1 MB. @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html */
const MAX_EVENT_BYTES = 1_048_576;
/** Longest reference to a function. @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html */
const MAX_ARN = 256;
const MAX_NAME = 4096;
/** Difference of two clocks that is not an earlier start. */
const CLOCK_MARGIN_MS = 1000;
const QUALIFIED =
  /^(?:arn:[\w-]+:lambda:[\w-]+:\d{12}:function:)?([A-Za-z0-9_-]{1,64}):(\$LATEST|[A-Za-z0-9_-]{1,128})$/;

/**
 * Converts an idempotency key to the name of an execution: itself if Lambda accepts it, else its SHA-256 in hexadecimal digits.
 *
 * @example executionName('order/7'); // 64 hexadecimal digits
 */
export function executionName(name: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(requireText(name, '"name"', MAX_NAME)) ? name : sha256(name);
}

/**
 * Starts a durable execution and does not wait for its end. A retry with the same name and event returns the same execution, even after its
 * end, until its retention has passed.
 *
 * The response of Lambda is the same for a new and for an existing execution. The outcome is read after the start (`GetDurableExecution`):
 * `existing` if the execution started more than a second before this call. The role needs `lambda:InvokeFunction` on the function, and
 * `lambda:GetDurableExecution` on its executions (`<function arn>:*`).
 *
 * @throws ExecutionServiceError `durable.execution_conflict` if the name was used with another event, `durable.invalid_input`,
 *   `durable.too_large`, `durable.service_unavailable` or `durable.service_failed`
 * @see https://docs.aws.amazon.com/lambda/latest/dg/durable-execution-idempotency.html
 * @example
 * const { arn } = await startExecution({ functionArn, name: `export-${id}`, event: { detail: { id } }, signal: ctx.signal });
 */
export async function startExecution(input: StartExecutionInput): Promise<StartedExecution> {
  const before = (input.clock ?? systemClock).now().getTime() - CLOCK_MARGIN_MS;
  const { arn } = await beginExecution(input);
  const { StartTimestamp } = await sendToLambda(
    'GetDurableExecutionCommand',
    { DurableExecutionArn: arn },
    callOptionsOf(input),
  );
  const isOlder = StartTimestamp instanceof Date && StartTimestamp.getTime() < before;
  return { arn, outcome: isOlder ? 'existing' : 'started' };
}

/**
 * Starts an execution with one call, and does not read its outcome. A retry with the same name and event returns the same execution. The
 * role needs `lambda:InvokeFunction` on the function.
 *
 * @throws ExecutionServiceError as `startExecution`
 * @example const surface = durableExecutions({ start: beginExecution });
 */
export async function beginExecution(input: StartExecutionInput): Promise<{ readonly arn: string }> {
  return { arn: await invoke(parseStart(input), callOptionsOf(input)) };
}

function callOptionsOf({ client, signal, timeoutMs }: ExecutionCallOptions): ExecutionCallOptions {
  return { client, signal, timeoutMs };
}

interface InvokeInput {
  readonly FunctionName: string;
  readonly DurableExecutionName: string;
  readonly Payload: Uint8Array;
}

function parseStart({ functionArn, name, event }: StartExecutionInput): InvokeInput {
  const FunctionName = requireText(functionArn, '"functionArn"', MAX_ARN);
  if (!QUALIFIED.test(FunctionName)) {
    throw invalidInput(
      `"functionArn" must end with a version or an alias, for example "orders:live" (got "${FunctionName}")`,
    );
  }
  return {
    FunctionName,
    DurableExecutionName: executionName(name),
    Payload: toPayload(event, '"event"', MAX_EVENT_BYTES),
  };
}

async function invoke(input: InvokeInput, options: ExecutionCallOptions): Promise<string> {
  const answer = await sendToLambda('InvokeCommand', { InvocationType: 'Event', ...input }, options);
  const { DurableExecutionArn: arn } = answer;
  if (typeof arn === 'string') return arn;
  const message = 'Lambda accepted the event but started no execution: the function is not durable';
  throw new ExecutionServiceError('durable.service_failed', message);
}
