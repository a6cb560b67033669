import type { FullClock, MaybePromise } from '@sallyport/core';

type Method = (...args: never[]) => Promise<unknown>;

/** The members of a ledger of `@sallyport/jobs` that an execution replaces. */
interface Ledger {
  readonly clock: FullClock;
}

/** The members of a flow that its ledger uses. */
interface Recorder {
  record<T>(name: string, run: () => MaybePromise<T>): Promise<T>;
  onSuspend(run: () => MaybePromise<void>): void;
}

/** The calls that are steps, and the names of the steps. */
const STEPS: Readonly<Record<string, string>> = {
  beginIdempotency: 'framework begin',
  completeIdempotency: 'framework complete',
  abandonIdempotency: 'framework abandon',
};

/** The ledger for a handler in an execution: a begin, a result and a release are steps, so each is written once. */
export function recordingLedger<L extends object>(scope: Recorder, ledger: L): L {
  const { clock } = ledger as unknown as Ledger;
  // A suspended invocation has no further use for its timers.
  const own: FullClock = {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    after(ms, run) {
      const cancel = clock.after(ms, run);
      scope.onSuspend(cancel);
      return cancel;
    },
  };
  // Not a proxy of the ledger itself: a proxy must return the members of a frozen object unchanged.
  return new Proxy({} as L, {
    get(_target, name) {
      if (name === 'clock') return own;
      const value: unknown = Reflect.get(ledger, name, ledger);
      if (typeof value !== 'function') return value;
      const call = value.bind(ledger) as Method;
      const step = typeof name === 'string' ? STEPS[name] : undefined;
      return step === undefined ? call : (...args: never[]) => scope.record(step, () => call(...args));
    },
  });
}
