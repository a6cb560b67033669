import type { MicrovmHarness } from './harness.js';
import { Bench } from './internal/bench.js';
import { COMMAND_CASES } from './internal/command-cases.js';
import { FAILURE_CASES } from './internal/failure-cases.js';
import { OUTAGE_CASES } from './internal/outage-cases.js';
import { PROXY_CASES } from './internal/proxy-cases.js';
import { RUN_CASES } from './internal/run-cases.js';
import { SWEEP_CASES } from './internal/sweep-cases.js';
import { TOKEN_CASES } from './internal/token-cases.js';

/** One behaviour that a controller must have with every provider and registry. */
export interface MicrovmConformanceCase {
  /** The behaviour, as a sentence. */
  readonly name: string;
  /** Throws an `AssertionError` if the behaviour differs or a credential leaked. */
  run(): Promise<void>;
}

/**
 * Returns test cases for the behaviour of a controller with any provider and registry, for any test runner. Each case ends with a
 * scan for leaks in all responses, errors, events and rows.
 *
 * @example it.each(microvmConformance(harness))('$name', ({ run }) => run());
 */
export function microvmConformance(harness: MicrovmHarness): readonly MicrovmConformanceCase[] {
  const all = {
    ...RUN_CASES,
    ...COMMAND_CASES,
    ...TOKEN_CASES,
    ...PROXY_CASES,
    ...FAILURE_CASES,
    ...OUTAGE_CASES,
    ...SWEEP_CASES,
  };
  return Object.entries(all).map(([name, check]) => ({
    name,
    async run() {
      const bench = await Bench.open(harness);
      try {
        await check(bench);
        bench.assertNoLeaks();
      } finally {
        await bench.close();
      }
    },
  }));
}
