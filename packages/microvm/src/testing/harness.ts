import type { Clock } from '@sallyport/core';
import type { MicrovmProvider } from '../provider/provider.js';
import type { HeaderEntry } from '../provider/transport.js';
import type { MicrovmRegistry } from '../registry/registry.js';

/** A request as the program in a machine gets it. */
export interface ProgramRequest {
  /** The machine. */
  readonly microvmId: string;
  /** The port that was asked. */
  readonly port: number;
  /** The method in upper case. */
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Names and values as they came. */
  readonly headers: readonly HeaderEntry[];
  /** The bytes; empty for none. */
  readonly body: Uint8Array;
}

/** What the program answers. */
export interface ProgramAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** Names and values as they came. */
  readonly headers: readonly HeaderEntry[];
  /** The bytes; empty for none. */
  readonly body: Uint8Array;
}

/** A failure of the service that a case asks for. */
export interface HarnessFailure {
  /** What was asked for. */
  readonly operation: 'run' | 'get' | 'list' | 'suspend' | 'resume' | 'terminate' | 'authToken' | 'shellAuthToken';
  /** The name of the service's error, or `lost`: the call is done, and its answer never comes. */
  readonly error: string;
  /** Calls that fail. Default: all. */
  readonly times?: number;
  /** Seconds that the service asks to wait. */
  readonly retryAfterSeconds?: number;
}

/** A service and a registry of one case. */
export interface MicrovmSetup {
  /** The service. */
  readonly provider: MicrovmProvider;
  /** The registry. */
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
  /** Makes a service and a registry that share nothing with those of other cases. */
  create(options: {
    readonly clock: Clock;
    readonly program: (request: ProgramRequest) => ProgramAnswer;
  }): Promise<MicrovmSetup>;
}
