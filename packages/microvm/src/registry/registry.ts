import type { MicrovmDesiredState, MicrovmOperation, MicrovmState } from '../lifecycle/states.js';

/** Whose sessions: every row belongs to one tenant and namespace. */
export interface MicrovmBinding {
  /** The tenant. */
  readonly tenantId: string;
  /** The namespace of the tenant. */
  readonly namespace: string;
}

/** Names one session. */
export interface SessionKey extends MicrovmBinding {
  /** Unique within tenant and namespace. */
  readonly sessionId: string;
}

/** When a machine suspends itself and ends. */
export interface IdlePolicy {
  /** True if a request wakes a suspended machine. */
  readonly autoResumeEnabled: boolean;
  /** Seconds without requests until the machine is suspended, at least 60. */
  readonly maxIdleDurationSeconds: number;
  /** Seconds suspended until the machine is terminated. */
  readonly suspendedDurationSeconds: number;
}

/** Where a machine writes its logs: exactly one of the two. */
export type MicrovmLogging =
  | { readonly disabled: Readonly<Record<string, never>> }
  | { readonly cloudWatch: { readonly logGroup?: string; readonly logStream?: string } };

/** The input of a start that comes from the deployment or from its code. A repeated start sends exactly the same input. */
export interface StartSetup {
  /** The role of the machine. */
  readonly executionRoleArn?: string | undefined;
  /** Where the machine logs. */
  readonly logging: MicrovmLogging;
  /** The payload of the `run` hook. `undefined` if it contains a credential: those are not stored. */
  readonly runHookPayload?: string | undefined;
}

/** What the registry keeps of a session. It holds no tokens. Times are epoch milliseconds, but for the expiry. */
export interface SessionRecord extends SessionKey {
  /** Grows by 1 with every write; 1 at first. */
  readonly version: number;
  /** Where it is in its life. */
  readonly state: MicrovmState;
  /** What the last command wants. */
  readonly desiredState: MicrovmDesiredState;
  /** Who ran the session. */
  readonly authSubject: string;
  /** The ARN of the image. */
  readonly imageRef: string;
  /** The version of the image; absent until it is known. */
  readonly imageVersion?: string | undefined;
  /** Seconds that the machine may exist. */
  readonly maximumDurationSeconds: number;
  /** When it suspends itself. */
  readonly idlePolicy?: IdlePolicy | undefined;
  /** What the caller gave to `run`. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** ARNs of its ingress connectors. */
  readonly ingressConnectors?: readonly string[] | undefined;
  /** ARNs of its egress connectors. */
  readonly egressConnectors?: readonly string[] | undefined;
  /** Of this very reservation; the client token is made from it. */
  readonly reservationId: string;
  /** Digest of the input of `run`. */
  readonly requestHash: string;
  /** When it was reserved. */
  readonly createdAt: number;
  /** When it was changed last. */
  readonly updatedAt: number;
  /** Epoch seconds from which the session is absent. */
  readonly expiresAt: number;
  /** The operation that wrote last. */
  readonly lastAction: MicrovmOperation | 'sweep';
  /** The request that wrote last. */
  readonly lastRequestId: string;
  /** The machine. */
  readonly microvmId?: string | undefined;
  /** The host of its endpoint, as the service named it. */
  readonly endpointHost?: string | undefined;
  /** The state in the words of the service. */
  readonly providerState?: string | undefined;
  /** When the machine started. */
  readonly startedAt?: number | undefined;
  /** When the machine ended. */
  readonly terminatedAt?: number | undefined;
  /** When the service was asked last. */
  readonly lastObservedAt?: number | undefined;
  /** Why it failed. */
  readonly errorCode?: string | undefined;
  /** The input of the start, kept until its outcome is known. */
  readonly startSetup?: StartSetup | undefined;
  /** `unknown`: the start was given up, and its machine may be running. */
  readonly startOutcome?: 'unknown' | undefined;
}

/** What a write changes; what is left out stays. */
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

/** Which sessions a page holds. */
export interface PageRequest {
  /** The session id after which the page starts. */
  readonly after?: string | undefined;
  /** Sessions at most. */
  readonly limit: number;
  /** Only sessions that this caller ran. */
  readonly authSubject?: string | undefined;
}

/** Which starts without a known machine a page holds. */
export interface PendingRequest {
  /** `requested`: reserved and not confirmed. `unknown`: given up, and a machine may be running. */
  readonly kind: 'requested' | 'unknown';
  /** Only sessions reserved at this time or later, in epoch milliseconds. */
  readonly from: number;
  /** Only sessions reserved at this time or earlier, in epoch milliseconds. */
  readonly to: number;
  /** Rows that are read for the page, at most. Expired ones are left out of it. */
  readonly limit: number;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
}

/** A page of starts without a known machine, the oldest first. */
export interface PendingPage {
  /** The sessions. */
  readonly records: readonly SessionRecord[];
  /** The place after which the next page starts, opaque; `undefined` at the end. */
  readonly next: string | undefined;
}

/** Options of every call. */
export interface RegistryCallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a conditional write. */
export interface RegistryWriteOptions extends RegistryCallOptions {
  /** The id of the write. A repeated call with the same id is applied once, and returns the session. Default: a new id. */
  readonly writeId?: string | undefined;
}

/**
 * Where sessions are kept. Every method throws MicrovmError `microvm.registry_unavailable` when the store is busy or away. A row
 * that cannot be read, or whose names are not those of its key, is absent.
 */
export interface MicrovmRegistry {
  /** Reads a session, with every write before; `undefined` when it is absent or has expired. */
  get(key: SessionKey, options?: RegistryCallOptions): Promise<SessionRecord | undefined>;
  /** Writes a new session if absent, or one that has expired. Otherwise answers what is there. */
  reserve(
    record: SessionRecord,
    options?: RegistryCallOptions,
  ): Promise<{ readonly reserved: true } | { readonly reserved: false; readonly taken: SessionRecord | undefined }>;
  /** Changes a reserved session whose version and reservation are still those of `record`; `undefined` when they are not. */
  confirm(
    record: SessionRecord,
    changes: SessionChanges,
    options?: RegistryWriteOptions,
  ): Promise<SessionRecord | undefined>;
  /** Changes a session whose version is still that of `record`; `undefined` when it is not. */
  change(
    record: SessionRecord,
    changes: SessionChanges,
    options?: RegistryWriteOptions,
  ): Promise<SessionRecord | undefined>;
  /** Reads one page of the sessions of a tenant and namespace in the order of their ids. Expired ones are left out. */
  list(binding: MicrovmBinding, page: PageRequest, options?: RegistryCallOptions): Promise<SessionPage>;
  /** Reads one page of the starts of all tenants whose machine is not known, the oldest first. */
  listPending(page: PendingRequest, options?: RegistryCallOptions): Promise<PendingPage>;
  /** The session that a machine belongs to. What was written a moment ago may be missing. */
  findByMicrovmId(microvmId: string, options?: RegistryCallOptions): Promise<SessionRecord | undefined>;
}
