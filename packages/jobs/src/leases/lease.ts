/** A lease that is held. */
export interface Lease {
  /** What is held. */
  readonly name: string;
  /** Of this acquisition alone. */
  readonly id: string;
  /** A label for people. Two acquisitions of one owner do not know each other. */
  readonly owner: string;
  /** The fencing token: it grows with every acquisition. Let the resource refuse a smaller one. */
  readonly token: number;
  /** When it ends, in Unix milliseconds by the ledger's clock. */
  readonly expiresAtMs: number;
}

/** A slot of a semaphore that is held. */
export interface Slot {
  /** First part of the semaphore's name: what is limited. */
  readonly scope: string;
  /** Second part of the semaphore's name: for whom it is limited. */
  readonly subject: string;
  /** Its number, 0 to `limit` - 1. */
  readonly slot: number;
  /** Of this acquisition alone. */
  readonly id: string;
  /** A label for people. */
  readonly owner: string;
  /** When it ends, in Unix milliseconds by the ledger's clock. */
  readonly expiresAtMs: number;
}

/** Options that `withLease` and `withSlot` share. */
export interface HoldOptions {
  /** A label of the holder, for people. Default: a random id. */
  readonly owner?: string;
  /** Milliseconds from one refresh until the lease or slot ends, 1,000 to 900,000. Default 30,000. */
  readonly durationMs?: number;
  /** Milliseconds between refreshes. Default: a third of `durationMs`. */
  readonly heartbeatMs?: number;
  /** Milliseconds to wait while another caller holds it, 0 to 86,400,000. Default 0. */
  readonly waitMs?: number;
  /** Ends the waiting, and aborts the signal that the work is given. */
  readonly signal?: AbortSignal;
}
