import type { MicrovmHarness } from './harness.js';
import { Bench } from './internal/bench.js';
import { COMMAND_CASES } from './internal/command-cases.js';
import { FAILURE_CASES } from './internal/failure-cases.js';
import { OUTAGE_CASES } from './internal/outage-cases.js';
import { PROXY_CASES } from './internal/proxy-cases.js';
import { RUN_CASES } from './internal/run-cases.js';
import { SWEEP_CASES } from './internal/sweep-cases.js';
import { TOKEN_CASES } from './internal/token-cases.js';

/** One behaviour that every provider and registry must show. */
export interface MicrovmConformanceCase {
  /** The behaviour, as a sentence. */
  readonly name: string;
  /** Throws an `AssertionError` when it is otherwise, or when something leaked. */
  run(): Promise<void>;
}

/**
 * What a controller does, whatever provider and registry it has, for any test runner. Each case ends with a search for leaks in
 * every answer, error, event and row.
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
