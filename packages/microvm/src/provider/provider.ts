import type { IdlePolicy, MicrovmLogging } from '../registry/registry.js';
import type { SecretToken } from './secret-token.js';
import type { MicrovmTransport } from './transport.js';

/** Ports of a token: one port, or all from `start` to `end`. */
export type PortScope = { readonly port: number } | { readonly start: number; readonly end: number };

/** Input of a start. */
export interface RunMicrovmInput {
  /** The ARN of the image. */
  readonly imageRef: string;
  /** The version of the image; absent until it is known. */
  readonly imageVersion?: string | undefined;
  /** ARNs of its ingress connectors. */
  readonly ingressConnectors?: readonly string[] | undefined;
  /** ARNs of its egress connectors. */
  readonly egressConnectors?: readonly string[] | undefined;
  /** The role of the machine. */
  readonly executionRoleArn?: string | undefined;
  /** Idle time before it is suspended. */
  readonly idlePolicy?: IdlePolicy | undefined;
  /** Log destination. */
  readonly logging: MicrovmLogging;
  /** Payload of its `run` hook. */
  readonly runHookPayload: string;
  /** Seconds that the machine may exist. */
  readonly maximumDurationSeconds: number;
  /** A repeated call with the same token does not start a second machine. */
  readonly clientToken: string;
}

/** A machine as the service describes it. The controller checks every member. */
export interface MicrovmDescription {
  /** The machine. */
  readonly microvmId: string;
  /** State reported by the service: `PENDING`, `RUNNING`, … */
  readonly state: string;
  /** A host name or an `https` URL. */
  readonly endpoint: string;
  /** The ARN of the image. */
  readonly imageRef: string;
  /** The version of the image; absent until it is known. */
  readonly imageVersion: string;
  /** Seconds that the machine may exist. */
  readonly maximumDurationSeconds: number;
  /** The role of the machine; `undefined` if absent. */
  readonly executionRoleArn?: string | undefined;
  /** Start time of the machine. */
  readonly startedAt: Date;
  /** Time at which the machine terminated. */
  readonly terminatedAt?: Date | undefined;
}

/** A machine in a list. */
export interface MicrovmSummary {
  /** The machine. */
  readonly microvmId: string;
  /** State reported by the service. */
  readonly state: string;
  /** Start time of the machine. */
  readonly startedAt: Date;
}

/** Input of a new token. */
export interface TokenInput {
  /** The machine. */
  readonly microvmId: string;
  /** Lifetime of the token in whole minutes, at most 60. */
  readonly expirationInMinutes: number;
}

/**
 * The service that runs machines. Every method accepts a signal that aborts the call, and rejects with the service's error, which
 * is identified by its `name`: `ResourceNotFoundException`, `ThrottlingException`, …
 */
export interface MicrovmProvider {
  /** Sends requests to the programs in the machines. */
  readonly transport: MicrovmTransport;
  /** Starts a machine. */
  run(input: RunMicrovmInput, signal: AbortSignal): Promise<MicrovmDescription>;
  /** Describes a machine. The state may be outdated. */
  get(microvmId: string, signal: AbortSignal): Promise<MicrovmDescription>;
  /** Lists all machines of an image, reading all pages. */
  list(imageRef: string, signal: AbortSignal): Promise<readonly MicrovmSummary[]>;
  /** Suspends a machine. */
  suspend(microvmId: string, signal: AbortSignal): Promise<void>;
  /** Resumes a machine. */
  resume(microvmId: string, signal: AbortSignal): Promise<void>;
  /** Terminates a machine. */
  terminate(microvmId: string, signal: AbortSignal): Promise<void>;
  /** Creates a token for ports of a machine. */
  authToken(input: TokenInput & { readonly ports: readonly PortScope[] }, signal: AbortSignal): Promise<SecretToken>;
  /** Creates a token for the shell of a machine. */
  shellAuthToken(input: TokenInput, signal: AbortSignal): Promise<SecretToken>;
}
