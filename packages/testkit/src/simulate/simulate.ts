import type { BuildApp } from './internal/ledger.js';
import { type QueueSimulation, simulateQueue } from './queue.js';
import type { SimulationResult } from './result.js';
import type { QueueSource, StreamSource } from './source.js';
import { type StreamSimulation, simulateStream } from './stream.js';

/** The options that fit a source. */
export type SimulationOptions<S> = S extends QueueSource ? QueueSimulation : StreamSimulation;

/**
 * Runs a source against an app in virtual time, as its event source mapping would, until nothing is left or 1,000
 * invocations are spent, and returns the outcome of every record. The app must be created with `env.options()`: completed
 * records are taken from the framework's log records, not from the answer.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example
 * const result = await simulate((env) => buildApp(env), queue.standard('orders', [{ body: 'a' }, { body: 'b' }]));
 * assertNothingLost(result);
 */
export function simulate<S extends QueueSource | StreamSource>(
  buildApp: BuildApp,
  source: S,
  options?: SimulationOptions<S>,
): Promise<SimulationResult> {
  if (source.kind === 'queue') return simulateQueue(buildApp, source, options as QueueSimulation | undefined);
  return simulateStream(buildApp, source, options as StreamSimulation | undefined);
}
