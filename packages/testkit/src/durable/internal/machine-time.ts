import type { Operation } from '../wire.js';

/** A difference that is not the cost of reading two clocks. */
const TOLERANCE_MS = 1_000;

/**
 * An operation for the SDK, which compares the ends of waits with the clock of the machine: with a manual clock in the past it requests the
 * end of each wait immediately.
 *
 * @param nowMs the time of the service
 */
export function inMachineTime(operation: Operation, nowMs: number): Operation {
  const shift = Date.now() - nowMs;
  const { WaitDetails, StepDetails } = operation;
  if (Math.abs(shift) < TOLERANCE_MS) return operation;
  const moved = (date: Date | undefined) => date && new Date(date.getTime() + shift);
  return {
    ...operation,
    ...(WaitDetails && { WaitDetails: { ScheduledEndTimestamp: moved(WaitDetails.ScheduledEndTimestamp) } }),
    ...(StepDetails?.NextAttemptTimestamp && {
      StepDetails: { ...StepDetails, NextAttemptTimestamp: moved(StepDetails.NextAttemptTimestamp) },
    }),
  };
}
