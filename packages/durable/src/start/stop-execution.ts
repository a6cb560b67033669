import { requireText } from './internal/json.js';
import { type ExecutionCallOptions, sendToLambda } from './internal/lambda.js';

const MAX_ARN = 1024;
const MAX_REASON = 8192;

/**
 * Stops a running execution: its status becomes `STOPPED` and its handler does not run again. The role needs
 * `lambda:StopDurableExecution`.
 *
 * @param arn ARN of the execution
 * @param reason text for the execution's record
 * @throws ExecutionServiceError `durable.invalid_input`, `durable.service_unavailable` or `durable.service_failed`
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_StopDurableExecution.html
 * @example await stopExecution(arn, 'the order was cancelled');
 */
export async function stopExecution(arn: string, reason: string, options: ExecutionCallOptions = {}): Promise<void> {
  const DurableExecutionArn = requireText(arn, 'the ARN of an execution', MAX_ARN);
  const error = { ErrorType: 'Stopped', ErrorMessage: requireText(reason, '"reason"', MAX_REASON) };
  await sendToLambda('StopDurableExecutionCommand', { DurableExecutionArn, Error: error }, options);
}
