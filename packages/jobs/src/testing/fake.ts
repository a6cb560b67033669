import { JOB_ERRORS } from '../errors.js';
import type { JobLedger } from '../ledger/ledger.js';
import { createMemoryJobLedger, type MemoryLedgerOptions } from '../ledger/memory-ledger.js';

type Operation = Exclude<keyof JobLedger, 'clock' | 'ids' | 'log'>;

/** One call of a fake. */
export interface FakeCall {
  /** The method that was called. */
  readonly operation: Operation;
  /** Its arguments. */
  readonly arguments: readonly unknown[];
}

/** A simulated failure. */
export interface FakeFault {
  /** `before` the write, or `after` it, which loses only the response. Default `before`. */
  readonly when?: 'before' | 'after';
  /** Number of failing calls. Default 1. */
  readonly times?: number;
  /** The error that is thrown. Default: JobLedgerError `jobs.internal_error`, retryable. */
  readonly error?: unknown;
}

/** A memory ledger whose store can fail. */
export interface FakeJobLedger extends JobLedger {
  /** All calls so far, in order. */
  readonly calls: readonly FakeCall[];
  /** Makes the next calls of an operation fail. */
  fail(operation: Operation, fault?: FakeFault): void;
}

/**
 * Creates a memory ledger that records its calls and fails on demand.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 * @example
 * const ledger = createFakeJobLedger();
 * ledger.fail('createJob', { when: 'after' });
 */
export function createFakeJobLedger(options: MemoryLedgerOptions = {}): FakeJobLedger {
  const ledger = createMemoryJobLedger(options);
  const calls: FakeCall[] = [];
  const faults = new Map<Operation, Required<FakeFault>[]>();
  const wrap = (operation: Operation) => {
    const run = ledger[operation] as (...args: readonly unknown[]) => Promise<unknown>;
    return async (...args: readonly unknown[]) => {
      calls.push({ operation, arguments: args });
      const fault = faults.get(operation)?.shift();
      if (fault?.when === 'before') throw fault.error;
      const answer = await run(...args);
      if (fault) throw fault.error;
      return answer;
    };
  };
  const operations = Object.keys(ledger).filter((name) => !['clock', 'ids', 'log'].includes(name)) as Operation[];
  return {
    ...ledger,
    ...(Object.fromEntries(operations.map((name) => [name, wrap(name)])) as Pick<JobLedger, Operation>),
    calls,
    fail(operation, { when = 'before', times = 1, error = JOB_ERRORS.unavailable(true, new Error('injected')) } = {}) {
      const queue = faults.get(operation) ?? [];
      queue.push(...Array.from({ length: times }, () => ({ when, times, error })));
      faults.set(operation, queue);
    },
  };
}
