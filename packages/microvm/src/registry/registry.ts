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
  /** Whether a request wakes a suspended machine. */
  readonly autoResumeEnabled: boolean;
  /** Seconds without requests until the machine is suspended, at least 60. */
  readonly maxIdleDurationSeconds: number;
  /** Seconds suspended until the machine is terminated. */
  readonly suspendedDurationSeconds: number;
}

/** What the registry keeps of a session. There is no token in it. Times are epoch milliseconds, but for the expiry. */
export interface SessionRecord extends SessionKey {
  /** Grows by 1 with every write; 1 at first. */
  readonly version: number;
  readonly state: MicrovmState;
  readonly desiredState: MicrovmDesiredState;
  /** Who ran the session. */
  readonly authSubject: string;
  readonly imageRef: string;
  readonly imageVersion?: string | undefined;
  readonly maximumDurationSeconds: number;
  readonly idlePolicy?: IdlePolicy | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly ingressConnectors?: readonly string[] | undefined;
  readonly egressConnectors?: readonly string[] | undefined;
  /** Of this very reservation; the client token is made from it. */
  readonly reservationId: string;
  /** Digest of the input of `run`. */
  readonly requestHash: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Epoch seconds from which the session is absent. */
  readonly expiresAt: number;
  readonly lastAction: MicrovmOperation | 'sweep';
  readonly lastRequestId: string;
  readonly microvmId?: string | undefined;
  readonly endpointHost?: string | undefined;
  readonly providerState?: string | undefined;
  readonly startedAt?: number | undefined;
  readonly terminatedAt?: number | undefined;
  readonly lastObservedAt?: number | undefined;
  readonly errorCode?: string | undefined;
}

/** What a write changes; what is left out stays. */
export type SessionChanges = Partial<
  Omit<SessionRecord, keyof SessionKey | 'version' | 'reservationId' | 'requestHash' | 'createdAt'>
>;

/** A page of sessions. */
export interface SessionPage {
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

/** Options of every call. */
export interface RegistryCallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Where sessions are kept. Every method throws MicrovmError `microvm.registry_unavailable` when the store is busy or away. A row
 * that cannot be read, or whose names are not those of its key, is absent.
 */
export interface MicrovmRegistry {
  /** Reads a session, with every write before; `undefined` when it is absent or has expired. */
  get(key: SessionKey, options?: RegistryCallOptions): Promise<SessionRecord | undefined>;
  /** Writes a new session where there is none, or one that has expired. Otherwise answers what is there. */
  reserve(
    record: SessionRecord,
    options?: RegistryCallOptions,
  ): Promise<{ readonly reserved: true } | { readonly reserved: false; readonly taken: SessionRecord | undefined }>;
  /** Changes a reserved session whose version and reservation are still those of `record`; `undefined` when they are not. */
  confirm(
    record: SessionRecord,
    changes: SessionChanges,
    options?: RegistryCallOptions,
  ): Promise<SessionRecord | undefined>;
  /** Changes a session whose version is still that of `record`; `undefined` when it is not. */
  change(
    record: SessionRecord,
    changes: SessionChanges,
    options?: RegistryCallOptions,
  ): Promise<SessionRecord | undefined>;
  /** Reads one page of the sessions of a tenant and namespace in the order of their ids. Expired ones are left out. */
  list(binding: MicrovmBinding, page: PageRequest, options?: RegistryCallOptions): Promise<SessionPage>;
  /** Sessions of all tenants that are reserved since before a time (epoch milliseconds) and not confirmed, the oldest first; at most `limit`. */
  listPending(before: number, limit: number, options?: RegistryCallOptions): Promise<readonly SessionRecord[]>;
  /** The session that a machine belongs to. What was written a moment ago may be missing. */
  findByMicrovmId(microvmId: string, options?: RegistryCallOptions): Promise<SessionRecord | undefined>;
}
