import { type ConformanceCase, type EventBusHarness, type JobLedgerHarness, toCases } from './harness.js';
import { CLAIM_CASES } from './internal/claim-cases.js';
import { EVENT_BUS_CASES } from './internal/event-bus-cases.js';
import { IDEMPOTENCY_CASES } from './internal/idempotency-cases.js';
import { INPUT_CASES } from './internal/input-cases.js';
import { JOB_CASES } from './internal/job-cases.js';
import { HOLD_CASES } from './internal/lease-cases.js';
import { RECORD_CASES } from './internal/record-cases.js';

/**
 * The behaviour of `JobLedger`, for any implementation and any test runner.
 *
 * @example it.each(jobLedgerConformance(harness))('$name', ({ run }) => run());
 */
export function jobLedgerConformance(harness: JobLedgerHarness): readonly ConformanceCase[] {
  return toCases(harness, [
    ...JOB_CASES,
    ...RECORD_CASES,
    ...CLAIM_CASES,
    ...HOLD_CASES,
    ...IDEMPOTENCY_CASES,
    ...INPUT_CASES,
  ]);
}

/**
 * The behaviour of `EventBusStore`, for any implementation and any test runner.
 *
 * @example it.each(eventBusConformance(harness))('$name', ({ run }) => run());
 */
export function eventBusConformance(harness: EventBusHarness): readonly ConformanceCase[] {
  return toCases(harness, EVENT_BUS_CASES);
}
