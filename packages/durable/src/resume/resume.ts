import { defineOptions } from '@sallyport/core/options';
import { durationOption, toSeconds } from '../internal/checks.js';
import type { LaneScope } from '../internal/lane-scope.js';
import { type DurableLedger, ledgerOption } from '../internal/write-once.js';
import type { DurablePart, Duration } from '../types.js';
import { LedgerSteps } from './internal/ledger-steps.js';

/** Options of {@link resume}. */
export interface ResumeOptions {
  /** The time for which results are kept: at least as long as the source delivers an event again. Default 14 days. */
  readonly keep?: Duration;
}

/** Validators and defaults for {@link ResumeOptions}. */
export const RESUME_OPTIONS = /* @__PURE__ */ defineOptions<ResumeOptions>()({
  keep: /* @__PURE__ */ durationOption().default({ days: 14 }),
});

const LEDGER = /* @__PURE__ */ defineOptions<{ readonly ledger: DurableLedger }>()({
  ledger: /* @__PURE__ */ ledgerOption().required(),
});

/**
 * Records the result of each step in a ledger too, under a digest of the key of the event, the place in the code and the name of the step.
 * When a source delivers an event again after a failure, the new execution reads these results, and only steps that failed run again.
 * Events without a natural key, such as HTTP requests, are not recorded.
 *
 * A step that `compensate` has undone runs again: the compensation must have the name of the step. A step that another execution runs at the same
 * time rejects with `durable.step_in_progress`, so that the event is delivered again later; with `effect: 'atMostOnce'` an interrupted step
 * of an earlier execution rejects with `durable.step_interrupted`. If a result cannot be stored after the step has run, a line is logged, and
 * a later execution runs the step again, with the same `idempotencyKey`.
 *
 * @param ledger `createJobLedger()` of `@sallyport/jobs`
 * @throws FrameworkError `app.invalid_configuration` for a wrong argument
 * @example app.queue('orders', durable(fulfil, { use: [resume(createJobLedger())] }));
 */
export function resume(ledger: DurableLedger, options: ResumeOptions = {}): DurablePart {
  LEDGER.parse({ ledger });
  const keepSeconds = toSeconds(RESUME_OPTIONS.parse(options).keep, 'option "keep"');
  return {
    attach(flow: LaneScope | { readonly execution: null }) {
      if ('run' in flow) new LedgerSteps(ledger, keepSeconds).attach(flow);
    },
  };
}
