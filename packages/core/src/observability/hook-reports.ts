import { logFailure } from './failure.js';
import type { Logger, Observability } from './hooks.js';

const REPORT: unique symbol = Symbol.for('sallyport.hook-report') as never;

type Report = (hook: string, thrown: unknown) => void;

/** Hooks whose first failure, each, is one `error` line of the container's logger. */
export function reportHooks(observability: Observability, log: Logger): Observability {
  const reported = new Set<string>();
  const report: Report = (hook, thrown) => {
    if (reported.has(hook)) return;
    reported.add(hook);
    logFailure(() => log, `framework: hook ${hook} failed`, thrown);
  };
  return Object.create(observability, { [REPORT]: { value: report } }) as Observability;
}

/** Calls the hook `log` or `metric`, if there is one. Its failure, or what it rejects with, never changes an answer. */
export function callHook<N extends 'log' | 'metric'>(
  observability: Observability,
  name: N,
  record: Parameters<NonNullable<Observability[N]>>[0],
): void {
  const hook = observability[name] as ((given: typeof record) => unknown) | undefined;
  if (hook) attemptHook(observability, name, () => hook(record));
}

/** What a call of a hook gives; `undefined` when it throws. */
export function attemptHook<T>(observability: Observability, name: string, call: () => T): T | undefined {
  const report = (observability as { readonly [REPORT]?: Report })[REPORT];
  const failed = (thrown: unknown) => report?.(`observability.${name}`, thrown);
  try {
    const result = call();
    if (isThenable(result)) result.then(undefined, failed);
    return result;
  } catch (thrown) {
    failed(thrown);
    return undefined;
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
