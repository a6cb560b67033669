import { type AsyncSimulation, simulateAsync } from './async.js';
import type { BuildApp } from './internal/ledger.js';
import { type QueueSimulation, simulateQueue } from './queue.js';
import type { SimulationResult } from './result.js';
import type { AsyncSource, QueueSource, StreamSource } from './source.js';
import { type StreamSimulation, simulateStream } from './stream.js';
import { type ReadTrigger, simulateTrigger, type TriggerSimulations } from './trigger.js';
import type { TriggerSource } from './trigger-source.js';

/** The options that fit a source. */
export type SimulationOptions<S> = S extends QueueSource
  ? QueueSimulation
  : S extends StreamSource
    ? StreamSimulation
    : S extends ReadTrigger
      ? TriggerSimulations[S['kind']]
      : AsyncSimulation;

/**
 * Delivers a source's records to an app in virtual time, as AWS would, until no record is left, and returns the outcome of every record.
 * Create the app with `env.options()`: completed records are read from the framework's log records, not from the response. The
 * simulation stops after 1,000 invocations, or ten for each record if that is more.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example
 * const result = await simulate((env) => buildApp(env), queue.standard('orders', [{ body: 'a' }, { body: 'b' }]));
 * assertNothingLost(result);
 */
export function simulate<S extends QueueSource | StreamSource | AsyncSource | TriggerSource>(
  buildApp: BuildApp,
  source: S,
  options?: SimulationOptions<S>,
): Promise<SimulationResult> {
  switch (source.kind) {
    case 'queue':
      return simulateQueue(buildApp, source, options as QueueSimulation | undefined);
    case 'stream':
    case 'table-stream':
      return simulateStream(buildApp, source, options as StreamSimulation | undefined);
    case 'topic':
    case 'event-bus':
    case 'schedule':
    case 'asynchronous':
      return simulateAsync(buildApp, source, options as AsyncSimulation | undefined);
    default:
      return simulateTrigger(buildApp, source, options);
  }
}
