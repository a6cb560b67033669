import { assertKnownOptions, invalidOption } from '../options/option-errors.js';
import type { Observability } from './hooks.js';

const NONE: Observability = Object.freeze({});
const KEYS = ['log', 'metric', 'span', 'logPath', 'metrics'];

/**
 * Checks the option `observability` of a container.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown key or a member of a wrong type
 */
export function parseObservability(value: Observability | undefined): Observability {
  if (value === undefined) return NONE;
  if (typeof value !== 'object' || value === null) throw invalidOption('observability', 'an object');
  assertKnownOptions(value, KEYS);
  for (const hook of ['log', 'metric'] as const) {
    const given: unknown = value[hook];
    if (given !== undefined && typeof given !== 'function') throw invalidOption(`observability.${hook}`, 'a function');
  }
  if (value.span !== undefined && typeof value.span?.start !== 'function') {
    throw invalidOption('observability.span', 'an object with start()');
  }
  if (value.logPath !== undefined && typeof value.logPath !== 'boolean') {
    throw invalidOption('observability.logPath', 'true or false');
  }
  if (value.metrics !== undefined && typeof value.metrics?.emit !== 'function') {
    throw invalidOption('observability.metrics', 'what defineMetrics() gives');
  }
  return value;
}
