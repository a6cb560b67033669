import type { Clock } from '@sallyport/core';
import type { MicrovmProvider } from '../provider/provider.js';
import type { HeaderEntry } from '../provider/transport.js';
import type { MicrovmRegistry } from '../registry/registry.js';
import { Bench } from './internal/bench.js';
import { COMMAND_CASES } from './internal/command-cases.js';
import { FAILURE_CASES } from './internal/failure-cases.js';
import { PROXY_CASES } from './internal/proxy-cases.js';
import { RUN_CASES } from './internal/run-cases.js';
import { TOKEN_CASES } from './internal/token-cases.js';

/** A request as the program in a machine gets it. */
export interface ProgramRequest {
  readonly microvmId: string;
  readonly port: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: readonly HeaderEntry[];
  readonly body: Uint8Array;
}

/** What the program answers. */
export interface ProgramAnswer {
  readonly status: number;
  readonly headers: readonly HeaderEntry[];
  readonly body: Uint8Array;
}

/** A failure of the service that a case asks for. */
export interface HarnessFailure {
  readonly operation: 'run' | 'get' | 'list' | 'suspend' | 'resume' | 'terminate' | 'authToken' | 'shellAuthToken';
  /** The name of the service's error, or `lost`: the call is done, and its answer never comes. */
  readonly error: string;
  /** Calls that fail. Default: all. */
  readonly times?: number;
  readonly retryAfterSeconds?: number;
}

/** A service and a registry of one case. */
export interface MicrovmSetup {
  readonly provider: MicrovmProvider;
  readonly registry: MicrovmRegistry;
  /** Machines that there were. */
  machines(): readonly { readonly microvmId: string; readonly state: string; readonly runHookPayload: string }[];
  /** Tokens that were given out. */
  secrets(): readonly string[];
  /** Puts a machine into a state of the service. */
  setState(microvmId: string, state: string): void;
  /** Lets calls of the service fail. */
  fail(failure: HarnessFailure): void;
  /** How often the service was called. */
  callCount(operation: HarnessFailure['operation']): number;
  /** Ends what was started. */
  close(): Promise<void>;
}

/** How the suite gets a service and a registry. */
export interface MicrovmHarness {
  create(options: {
    readonly clock: Clock;
    readonly program: (request: ProgramRequest) => ProgramAnswer;
  }): Promise<MicrovmSetup>;
}

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
  const all = { ...RUN_CASES, ...COMMAND_CASES, ...TOKEN_CASES, ...PROXY_CASES, ...FAILURE_CASES };
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
