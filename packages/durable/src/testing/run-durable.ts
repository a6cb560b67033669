import { type Driving, ExecutionDriver } from './execution-driver.js';
import type { BuildDurable, DurableRun, RunDurableOptions } from './types.js';
import { withPlugin } from './with-plugin.js';

/**
 * Runs a durable execution to its end, on AWS's SDK and a service in memory. Waits end immediately: the clock moves to their end.
 *
 * @param build builds the function: an application with `durableExecutions()`, or a handler of `withDurableExecution`. It is called
 *   before each invocation.
 * @param event the event of the trigger, such as an SQS batch
 * @returns status, result, operations, and the step functions that ran
 * @throws AssertionError for an execution that waits for a callback without an answer, or needs too many invocations
 * @example
 * const build = (env) => new App({ ...env.options(), surfaces: [durableExecutions()] }).queue('orders', durable(charge));
 * const run = await runDurable(build, buildQueueEvent({ source: 'orders', records: [{ body: '{}' }] }));
 * assert.deepEqual(run.result, { batchItemFailures: [] });
 */
export function runDurable(build: BuildDurable, event: unknown, options: RunDurableOptions = {}): Promise<DurableRun> {
  return drive(build, event, options);
}

/** `runDurable` with kills and observers. */
export function drive(
  build: BuildDurable,
  event: unknown,
  options: RunDurableOptions,
  driving: Driving = {},
): Promise<DurableRun> {
  return withPlugin(() => new ExecutionDriver(build, options, driving).run(event));
}
