import type { IdlePolicy, MicrovmLogging } from '../registry/registry.js';
import type { SecretToken } from './secret-token.js';
import type { MicrovmTransport } from './transport.js';

/** Ports that a token opens: one, or all from `start` to `end`. */
export type PortScope = { readonly port: number } | { readonly start: number; readonly end: number };

/** What a machine is run with. */
export interface RunMicrovmInput {
  /** The ARN of the image. */
  readonly imageRef: string;
  /** The version of the image; absent until it is known. */
  readonly imageVersion?: string | undefined;
  /** ARNs of its ingress connectors. */
  readonly ingressConnectors?: readonly string[] | undefined;
  /** ARNs of its egress connectors. */
  readonly egressConnectors?: readonly string[] | undefined;
  /** The role that it runs with. */
  readonly executionRoleArn?: string | undefined;
  /** When it suspends itself. */
  readonly idlePolicy?: IdlePolicy | undefined;
  /** Where it logs. */
  readonly logging: MicrovmLogging;
  /** What its `run` hook gets. */
  readonly runHookPayload: string;
  /** Seconds that the machine may exist. */
  readonly maximumDurationSeconds: number;
  /** A repeated call with the same token runs no second machine. */
  readonly clientToken: string;
}

/** A machine as the service describes it. The controller checks every member. */
export interface MicrovmDescription {
  /** The machine. */
  readonly microvmId: string;
  /** In the words of the service: `PENDING`, `RUNNING`, … */
  readonly state: string;
  /** A host name or an `https` URL. */
  readonly endpoint: string;
  /** The ARN of the image. */
  readonly imageRef: string;
  /** The version of the image; absent until it is known. */
  readonly imageVersion: string;
  /** Seconds that the machine may exist. */
  readonly maximumDurationSeconds: number;
  /** The role that it runs with; `undefined` for none. */
  readonly executionRoleArn?: string | undefined;
  /** When the machine started. */
  readonly startedAt: Date;
  /** When the machine ended. */
  readonly terminatedAt?: Date | undefined;
}

/** A machine in a list. */
export interface MicrovmSummary {
  /** The machine. */
  readonly microvmId: string;
  /** Where it is in its life. */
  readonly state: string;
  /** When the machine started. */
  readonly startedAt: Date;
}

/** What a token is made for. */
export interface TokenInput {
  /** The machine. */
  readonly microvmId: string;
  /** The life of the token; the service counts whole minutes, at most 60. */
  readonly expirationInMinutes: number;
}

/**
 * The service that runs machines. Every method gets a signal that ends the call, and rejects with the error of the service, which
 * is recognized by its `name`: `ResourceNotFoundException`, `ThrottlingException`, …
 */
export interface MicrovmProvider {
  /** Carries requests to the programs in the machines. */
  readonly transport: MicrovmTransport;
  /** Starts a machine. */
  run(input: RunMicrovmInput, signal: AbortSignal): Promise<MicrovmDescription>;
  /** Describes a machine. The state may lag behind. */
  get(microvmId: string, signal: AbortSignal): Promise<MicrovmDescription>;
  /** All machines of an image that there are, page after page. */
  list(imageRef: string, signal: AbortSignal): Promise<readonly MicrovmSummary[]>;
  /** Suspends a machine. */
  suspend(microvmId: string, signal: AbortSignal): Promise<void>;
  /** Resumes a machine. */
  resume(microvmId: string, signal: AbortSignal): Promise<void>;
  /** Ends a machine. */
  terminate(microvmId: string, signal: AbortSignal): Promise<void>;
  /** Makes a token for ports of a machine. */
  authToken(input: TokenInput & { readonly ports: readonly PortScope[] }, signal: AbortSignal): Promise<SecretToken>;
  /** Makes a token for the shell of a machine. */
  shellAuthToken(input: TokenInput, signal: AbortSignal): Promise<SecretToken>;
}
