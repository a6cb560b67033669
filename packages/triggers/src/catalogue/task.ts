import type { SenderOptions } from '../internal/sender.js';
import { stateTask, TASK_TRIGGER } from '../kinds/task.js';
import { describeTrigger } from './entry.js';
import { ACCEPTING } from './internal/build.js';

/**
 * Builds the input of a task of Step Functions. Send it with the ARN of the task's alias as `invokedFunctionArn`.
 *
 * @param input the input of the state
 * @param token the token of a waiting task, in the member `taskToken`
 * @see https://docs.aws.amazon.com/step-functions/latest/dg/connect-to-resource.html
 * @example buildTaskEvent({ amount: 5 });
 */
export function buildTaskEvent(input: Readonly<Record<string, unknown>>, token?: string): Record<string, unknown> {
  return { ...input, ...(token !== undefined && { taskToken: token }) };
}

/** Tasks of Step Functions in the catalogue. @internal */
export const TASK = /* @__PURE__ */ describeTrigger(TASK_TRIGGER, {
  sample: {
    build: buildTaskEvent,
    events: [
      [buildTaskEvent({ amount: 5 }), undefined],
      [buildTaskEvent({ amount: 5 }, 'token-1'), undefined],
    ],
    names: ['charge'],
    alias: 'charge',
    members: 'caller',
    sends: true,
    register: (handlers, options: SenderOptions = { client: ACCEPTING }) =>
      handlers.reduce((tasks, one) => tasks.task(...one), stateTask(options)),
  },
  docs: {
    section: 'Step Functions tasks',
    rows: [
      [
        '`stateTask({ client, timeoutMs })` with `task(alias, handler)` and `callback(alias, handler, { token, heartbeatMs })`; `StateTasks`, `StateTaskHandler`, `StateTask`, `TaskTokenOptions`',
        'tasks of Step Functions, plain and with a token',
      ],
    ],
  },
  construct: 'payload',
  simulate: null,
  aws: {
    author: 'anything upstream of the state machine',
    failure: 'the state fails, and its `Retry` and `Catch` apply',
    limit:
      '[256 KB](https://docs.aws.amazon.com/step-functions/latest/apireference/API_LambdaFunctionScheduledEventDetails.html)',
    attached: 'a state of the state machine',
  },
  sizes: { factory: 'stateTask', gzipBytes: 13_500 },
});
