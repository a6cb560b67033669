import { guardHook, type MetricOptions, type MetricScope, type Observability } from './hooks.js';

const WARNED = new WeakSet<Observability>();

/** What `ctx.metric` does: hands the value to what the container declares. */
export function writeMetric(
  observability: Observability,
  name: string,
  value: number,
  options: MetricOptions | undefined,
  scope: MetricScope,
): void {
  if (observability.metrics) observability.metrics.emit(observability, name, value, options, scope);
  else warnOfUndeclared(observability);
}

/** One warning a container whose handlers write metrics though it declares none. */
function warnOfUndeclared(observability: Observability): void {
  if (WARNED.has(observability)) return;
  WARNED.add(observability);
  guardHook(observability.log, { level: 'warn', event: 'metric.dropped', dropped: 'observability.metrics is missing' });
}
