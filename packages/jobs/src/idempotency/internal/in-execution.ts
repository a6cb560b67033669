import { type ExecutionScope, executionScopeOf } from '@sallyport/core/internal';
import type { JobLedger } from '../../ledger/ledger.js';

/**
 * The ledger for a handler in a durable execution: a begin, a result and a release are steps, so each is written once for an execution. Outside, and in a handler that is one step itself, the unchanged ledger.
 */
export function ledgerFor(context: object, ledger: JobLedger): JobLedger {
  const scope = executionScopeOf(context);
  return scope ? inExecution(scope, ledger) : ledger;
}

function inExecution(scope: ExecutionScope, ledger: JobLedger): JobLedger {
  const { clock } = ledger;
  const own: Partial<JobLedger> = {
    // A suspended invocation has no further use for its timers.
    clock: {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs(),
      after(ms, run) {
        const cancel = clock.after(ms, run);
        scope.onSuspend(cancel);
        return cancel;
      },
    },
    beginIdempotency: (...args) => scope.record('framework begin', () => ledger.beginIdempotency(...args)),
    completeIdempotency: (...args) => scope.record('framework complete', () => ledger.completeIdempotency(...args)),
    abandonIdempotency: (...args) => scope.record('framework abandon', () => ledger.abandonIdempotency(...args)),
  };
  // Not a proxy of the ledger itself: a proxy must return the members of a frozen object unchanged.
  return new Proxy({} as JobLedger, {
    get(_target, name) {
      if (Object.hasOwn(own, name)) return own[name as keyof JobLedger];
      const value: unknown = Reflect.get(ledger, name, ledger);
      return typeof value === 'function' ? value.bind(ledger) : value;
    },
  });
}
