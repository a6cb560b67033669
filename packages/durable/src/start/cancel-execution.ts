import { isFrameworkError } from '@sallyport/core';
import { CANCEL } from '../internal/cancel-name.js';
import { completeCallback } from './callbacks.js';
import { ExecutionServiceError } from './errors.js';
import { requireText } from './internal/json.js';
import { type ExecutionCallOptions, sendToLambda } from './internal/lambda.js';

/** The result of {@link cancelExecution}. */
export interface CancelledExecution {
  /** `requested` by this call; `existing` if an earlier call requested it; `ended` if the execution has ended. */
  readonly outcome: 'requested' | 'existing' | 'ended';
}

const MAX_ARN = 1024;
const PAGE = 1000;
/** 3,000 operations have at most three events each. */
const MAX_PAGES = 20;

const GONE = {
  ResourceNotFoundException: ['durable.execution_gone', 'no execution has this ARN, or its retention has passed'],
} as const;

/**
 * Cancels an execution: the operation at which it waits rejects with `durable.cancelled`, and its compensations run. A step that runs is
 * completed first. Needs `use: [ends({ cancellable: true })]`, and works from the first time that the handler waits: before, the call rejects
 * with `durable.not_cancellable`, and the same call may succeed later. `stopExecution` ends every execution, without compensations.
 *
 * The role needs `lambda:GetDurableExecution`, `lambda:GetDurableExecutionHistory` and `lambda:SendDurableExecutionCallbackSuccess` on the
 * executions of the function (`<function arn>:*`).
 *
 * @param arn ARN of the execution
 * @throws ExecutionServiceError `durable.not_cancellable`, `durable.execution_gone`, `durable.invalid_input`,
 *   `durable.service_unavailable` or `durable.service_failed`
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_GetDurableExecutionHistory.html
 * @example const { outcome } = await cancelExecution(arn, { signal: ctx.signal });
 */
export async function cancelExecution(arn: string, options: ExecutionCallOptions = {}): Promise<CancelledExecution> {
  const DurableExecutionArn = requireText(arn, 'the ARN of an execution', MAX_ARN);
  if (await hasEnded(DurableExecutionArn, options)) return { outcome: 'ended' };
  const { open, requested } = await findCallbacks(DurableExecutionArn, options);
  let completed = 0;
  for (const id of open) completed += await complete(id, options);
  if (completed > 0) return { outcome: 'requested' };
  if (requested + open.length > 0) {
    return { outcome: (await hasEnded(DurableExecutionArn, options)) ? 'ended' : 'existing' };
  }
  throw new ExecutionServiceError(
    'durable.not_cancellable',
    'the execution cannot be cancelled now: it has not waited yet, or it has no "cancellable: true"',
  );
}

async function hasEnded(DurableExecutionArn: string, options: ExecutionCallOptions): Promise<boolean> {
  const { Status } = await sendToLambda('GetDurableExecutionCommand', { DurableExecutionArn }, options, GONE);
  return Status !== 'RUNNING';
}

/** An event of the history, without data. */
interface HistoryEvent {
  readonly EventType?: string;
  readonly Id?: string;
  readonly Name?: string;
  readonly CallbackStartedDetails?: { readonly CallbackId?: string };
}

/** The callbacks of the records and requests of an execution that wait for a cancellation, and the number of answered ones. */
async function findCallbacks(
  DurableExecutionArn: string,
  options: ExecutionCallOptions,
): Promise<{ readonly open: string[]; readonly requested: number }> {
  const open = new Map<string, string>();
  let requested = 0;
  let marker: unknown;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { Events, NextMarker } = await sendToLambda(
      'GetDurableExecutionHistoryCommand',
      {
        DurableExecutionArn,
        IncludeExecutionData: false,
        MaxItems: PAGE,
        ...(marker !== undefined && { Marker: marker }),
      },
      options,
      GONE,
    );
    for (const { Name, EventType, Id = '', CallbackStartedDetails } of (Events ?? []) as HistoryEvent[]) {
      const id = CallbackStartedDetails?.CallbackId;
      if (EventType === 'CallbackStarted' && Name === CANCEL && id !== undefined) open.set(Id, id);
      else if (EventType !== 'CallbackStarted' && open.delete(Id)) requested += 1;
    }
    marker = NextMarker;
    if (!marker) break;
  }
  return { open: [...open.values()], requested };
}

/** @returns 1 if this call completed the callback, 0 if it was completed before or its execution has ended */
async function complete(id: string, options: ExecutionCallOptions): Promise<0 | 1> {
  try {
    await completeCallback(id, { cancelled: true }, options);
    return 1;
  } catch (error) {
    if (isFrameworkError(error) && error.code === 'durable.callback_gone') return 0;
    throw error;
  }
}
