import type { Observability } from '@sallyport/core';

/** The execution of a record. */
interface Source {
  /** The name of the execution. */
  readonly execution: string;
  /** Milliseconds since the start of the execution; `undefined` for work that has started in this invocation. */
  durationMs(): number | undefined;
}

/**
 * Hooks that name the execution in `request.completed`, `event.completed` and `batch.completed`, with the duration from its start. Only executions
 * have this code: every other service reports what it has measured.
 */
export function hooksOf(observability: Observability, { execution, durationMs }: Source): Observability {
  const { log, metric } = observability;
  const timed = () => {
    const duration_ms = durationMs();
    return duration_ms === undefined ? {} : { duration_ms };
  };
  const hooks: Pick<Observability, 'log' | 'metric'> = {
    ...(log && {
      log: (record, ...more) => log(isCompleted(record.event) ? { ...record, ...timed(), execution } : record, ...more),
    }),
    ...(metric && {
      metric: (record, ...more) => metric('duration_ms' in record ? { ...record, ...timed() } : record, ...more),
    }),
  };
  // With all other members, also members that are not enumerable.
  return Object.create(observability, Object.getOwnPropertyDescriptors(hooks)) as Observability;
}

function isCompleted(event: unknown): boolean {
  return event === 'request.completed' || event === 'event.completed' || event === 'batch.completed';
}
