import { boolean, defineOptions } from '@sallyport/core/options';
import { CANCEL } from '../internal/cancel-name.js';
import { durationOption, toSeconds } from '../internal/checks.js';
import type { LaneScope } from '../internal/lane-scope.js';
import type { DurablePart, Duration } from '../types.js';
import { type EndReason, FlowEnds } from './internal/flow-ends.js';

const TIME_LIMIT = 'framework time limit';

/** Options of {@link ends}. */
export interface EndsOptions {
  /** The longest time of an execution. After it, the operation that waits rejects with `durable.timeout`. Default: only the limit of the function. */
  readonly timeout?: Duration;
  /** True if `cancelExecution` can end the execution: the operation that waits rejects with `durable.cancelled`. Default false. */
  readonly cancellable?: boolean;
}

/** Validators and defaults for {@link EndsOptions}. */
export const ENDS_OPTIONS = /* @__PURE__ */ defineOptions<EndsOptions>()({
  timeout: /* @__PURE__ */ durationOption(),
  cancellable: /* @__PURE__ */ boolean.default(false),
});

/**
 * Ends an execution before its work is complete. The operation that waits (`wait`, `callback`, the delay before the next attempt of a step)
 * rejects, so that the handler fails and its compensations run. A step that runs is completed and recorded first. Which operations rejected is
 * recorded, so that a replay is equal. Adds one operation for each option when the execution first waits, and one when it ends.
 *
 * Outside an execution it does nothing.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown or wrong option
 * @example
 * app.topic('exports', durable(writeExport, { use: [ends({ timeout: { days: 2 }, cancellable: true })] }));
 */
export function ends(options: EndsOptions): DurablePart {
  const { timeout, cancellable } = ENDS_OPTIONS.parse(options);
  const seconds = timeout && toSeconds(timeout, 'option "timeout"');
  const reasons: EndReason[] = [];
  if (seconds !== undefined) {
    reasons.push({
      name: TIME_LIMIT,
      code: 'durable.timeout',
      text: `the execution did not end within ${seconds} s`,
      async start(inner, elapsed, come) {
        inner.wait(TIME_LIMIT, { seconds: Math.max(1, Math.ceil(seconds - elapsed)) }).then(come, () => {});
      },
    });
  }
  if (cancellable) {
    reasons.push({
      name: CANCEL,
      code: 'durable.cancelled',
      text: 'the execution was cancelled',
      async start(inner, _elapsed, come) {
        const [value] = await inner.createCallback(CANCEL);
        value.then(come, come);
      },
    });
  }
  return {
    attach(flow: LaneScope | { readonly execution: null }) {
      if ('run' in flow) new FlowEnds(flow, reasons).attach();
    },
  };
}
