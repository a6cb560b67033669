import type { MicrovmDesiredState, MicrovmOperation, MicrovmState } from '../lifecycle/states.js';

/** Tenant and namespace; every row belongs to one of each. */
export interface MicrovmBinding {
  /** The tenant. */
  readonly tenantId: string;
  /** The namespace of the tenant. */
  readonly namespace: string;
}

/** Key of a session. */
export interface SessionKey extends MicrovmBinding {
  /** Unique within tenant and namespace. */
  readonly sessionId: string;
}

/** Rules for suspending and terminating an idle machine. */
export interface IdlePolicy {
  /** True if a request resumes a suspended machine. */
  readonly autoResumeEnabled: boolean;
  /** Seconds without requests until the machine is suspended, at least 60. */
  readonly maxIdleDurationSeconds: number;
  /** Seconds suspended until the machine is terminated. */
  readonly suspendedDurationSeconds: number;
}

/** Log destination of a machine: exactly one of the two. */
export type MicrovmLogging =
  | { readonly disabled: Readonly<Record<string, never>> }
  | { readonly cloudWatch: { readonly logGroup?: string; readonly logStream?: string } };

/** The part of a start's input that depends on the deployment or its code. A repeated start sends exactly the same input. */
export interface StartSetup {
  /** The role of the machine. */
  readonly executionRoleArn?: string | undefined;
  /** Log destination of the machine. */
  readonly logging: MicrovmLogging;
  /** The payload of the `run` hook. `undefined` if it contains a credential, which is not stored. */
  readonly runHookPayload?: string | undefined;
}

/** A stored session. It contains no tokens. Times are epoch milliseconds, except the expiry. */
export interface SessionRecord extends SessionKey {
  /** Starts at 1 and increases by 1 with every write. */
  readonly version: number;
  /** The state of the session. */
  readonly state: MicrovmState;
  /** The target state of the last command. */
  readonly desiredState: MicrovmDesiredState;
  /** Id of the caller that started the session. */
  readonly authSubject: string;
  /** The ARN of the image. */
  readonly imageRef: string;
  /** The version of the image; absent until it is known. */
  readonly imageVersion?: string | undefined;
  /** Seconds that the machine may exist. */
  readonly maximumDurationSeconds: number;
  /** Idle time before it is suspended. */
  readonly idlePolicy?: IdlePolicy | undefined;
  /** Metadata that the caller passed to `run`. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** ARNs of its ingress connectors. */
  readonly ingressConnectors?: readonly string[] | undefined;
  /** ARNs of its egress connectors. */
  readonly egressConnectors?: readonly string[] | undefined;
  /** Id of this reservation; the client token is derived from it. */
  readonly reservationId: string;
  /** Digest of the input of `run`. */
  readonly requestHash: string;
  /** Time of the reservation. */
  readonly createdAt: number;
  /** Time of the last change. */
  readonly updatedAt: number;
  /** Epoch seconds from which the session is absent. */
  readonly expiresAt: number;
  /** The operation of the last write. */
  readonly lastAction: MicrovmOperation | 'sweep';
  /** The request of the last write. */
  readonly lastRequestId: string;
  /** The machine. */
  readonly microvmId?: string | undefined;
  /** The host of its endpoint, returned by the service. */
  readonly endpointHost?: string | undefined;
  /** State reported by the service. */
  readonly providerState?: string | undefined;
  /** Start time of the machine. */
  readonly startedAt?: number | undefined;
  /** Time at which the machine terminated. */
  readonly terminatedAt?: number | undefined;
  /** Time of the last read of the service. */
  readonly lastObservedAt?: number | undefined;
  /** Error code of a failed session. */
  readonly errorCode?: string | undefined;
  /** The input of the start, stored until its outcome is known. */
  readonly startSetup?: StartSetup | undefined;
  /** `unknown`: the start was abandoned, and its machine may be running. */
  readonly startOutcome?: 'unknown' | undefined;
}

/** Changes of a write; omitted members are unchanged. */
export type SessionChanges = Partial<
  Omit<SessionRecord, keyof SessionKey | 'version' | 'reservationId' | 'requestHash' | 'createdAt'>
>;

/** A page of sessions. */
export interface SessionPage {
  /** The sessions. */
  readonly records: readonly SessionRecord[];
  /** The session id after which the next page starts; `undefined` at the end. */
  readonly next: string | undefined;
}

/** Selects the sessions of a page. */
export interface PageRequest {
  /** The session id after which the page starts. */
  readonly after?: string | undefined;
  /** Maximum number of sessions. */
  readonly limit: number;
  /** Only sessions started by this caller. */
  readonly authSubject?: string | undefined;
}

/** Selects a page of starts without a known machine. */
export interface PendingRequest {
  /** `requested`: reserved and not confirmed. `unknown`: abandoned, and a machine may be running. */
  readonly kind: 'requested' | 'unknown';
  /** Only sessions reserved at this time or later, in epoch milliseconds. */
  readonly from: number;
  /** Only sessions reserved at this time or earlier, in epoch milliseconds. */
  readonly to: number;
  /** Maximum number of rows read for the page. Expired rows are omitted. */
  readonly limit: number;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
}

/** A page of starts without a known machine, the oldest first. */
export interface PendingPage {
  /** The sessions. */
  readonly records: readonly SessionRecord[];
  /** Opaque cursor of the next page; `undefined` at the end. */
  readonly next: string | undefined;
}

/** Options of every call. */
export interface RegistryCallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a conditional write. */
export interface RegistryWriteOptions extends RegistryCallOptions {
  /** The id of the write. A repeated call with the same id is applied once, and returns the session. Default: a new id. */
  readonly writeId?: string | undefined;
}

/**
 * Stores sessions. Every method throws MicrovmError `microvm.registry_unavailable` if the store is throttled or unavailable. A row
 * that cannot be read, or whose names do not match its key, is absent.
 */
export interface MicrovmRegistry {
  /** Reads a session with strong consistency; `undefined` if it is absent or has expired. */
  get(key: SessionKey, options?: RegistryCallOptions): Promise<SessionRecord | undefined>;
  /** Writes a new session if it is absent or has expired. Otherwise returns the existing session. */
  reserve(
    record: SessionRecord,
    options?: RegistryCallOptions,
  ): Promise<{ readonly reserved: true } | { readonly reserved: false; readonly taken: SessionRecord | undefined }>;
  /** Changes a reserved session if its version and reservation equal those in `record`; otherwise returns `undefined`. */
  confirm(
    record: SessionRecord,
    changes: SessionChanges,
    options?: RegistryWriteOptions,
  ): Promise<SessionRecord | undefined>;
  /** Changes a session if its version equals the version in `record`; otherwise returns `undefined`. */
  change(
    record: SessionRecord,
    changes: SessionChanges,
    options?: RegistryWriteOptions,
  ): Promise<SessionRecord | undefined>;
  /** Reads a page of the sessions of a tenant and namespace, sorted by id. Expired sessions are omitted. */
  list(binding: MicrovmBinding, page: PageRequest, options?: RegistryCallOptions): Promise<SessionPage>;
  /** Reads a page of all tenants' starts without a known machine, the oldest first. */
  listPending(page: PendingRequest, options?: RegistryCallOptions): Promise<PendingPage>;
  /** Finds the session of a machine. The most recent writes may be missing. */
  findByMicrovmId(microvmId: string, options?: RegistryCallOptions): Promise<SessionRecord | undefined>;
}
