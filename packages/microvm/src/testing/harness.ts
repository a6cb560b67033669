import type { Clock } from '@sallyport/core';
import type { MicrovmProvider } from '../provider/provider.js';
import type { HeaderEntry } from '../provider/transport.js';
import type { MicrovmRegistry } from '../registry/registry.js';

/** A request to the program in a machine. */
export interface ProgramRequest {
  /** The machine. */
  readonly microvmId: string;
  /** The port of the request. */
  readonly port: number;
  /** The method in upper case. */
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Header names and values, unchanged. */
  readonly headers: readonly HeaderEntry[];
  /** The bytes; empty if there is no body. */
  readonly body: Uint8Array;
}

/** Response of the program. */
export interface ProgramAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** Header names and values, unchanged. */
  readonly headers: readonly HeaderEntry[];
  /** The bytes; empty if there is no body. */
  readonly body: Uint8Array;
}

/** A failure of the service for a test case. */
export interface HarnessFailure {
  /** The failing operation. */
  readonly operation: 'run' | 'get' | 'list' | 'suspend' | 'resume' | 'terminate' | 'authToken' | 'shellAuthToken';
  /** The name of the service's error, or `lost`: the call takes effect, but there is no response. */
  readonly error: string;
  /** Number of failing calls. Default: all. */
  readonly times?: number;
  /** Retry delay of the service in seconds. */
  readonly retryAfterSeconds?: number;
}

/** A service and a registry of one case. */
export interface MicrovmSetup {
  /** The service. */
  readonly provider: MicrovmProvider;
  /** The registry. */
  readonly registry: MicrovmRegistry;
  /** All machines, including terminated machines. */
  machines(): readonly { readonly microvmId: string; readonly state: string; readonly runHookPayload: string }[];
  /** All issued tokens. */
  secrets(): readonly string[];
  /** Sets a machine's state at the service. */
  setState(microvmId: string, state: string): void;
  /** Makes calls of the service fail. */
  fail(failure: HarnessFailure): void;
  /** Number of calls of the service. */
  callCount(operation: HarnessFailure['operation']): number;
  /** Stops the service and the registry. */
  close(): Promise<void>;
}

/** Creates a service and a registry for each case of the suite. */
export interface MicrovmHarness {
  /** Creates a service and a registry that are separate from other cases. */
  create(options: {
    readonly clock: Clock;
    readonly program: (request: ProgramRequest) => ProgramAnswer;
  }): Promise<MicrovmSetup>;
}
