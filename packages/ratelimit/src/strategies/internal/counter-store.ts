/** The whole numbers of one item, by attribute; a map without a prototype. */
export type Counters = Readonly<Record<string, number>>;

/** Where the counters of one key, or of one window of it, are kept. */
export interface Address {
  readonly pk: string;
  readonly sk: string;
}

/** Must hold for a write: the counter is absent or at most `max`; with `above`, it is there, above that and at most `max`. */
export interface Check {
  readonly counter: string;
  readonly above?: number;
  readonly max: number;
}

export interface CounterValue {
  readonly counter: string;
  readonly value: number;
}

/** One conditional write: all checks hold and everything happens, or nothing does. */
export interface ConditionalWrite {
  readonly checks: readonly Check[];
  readonly adds: readonly CounterValue[];
  readonly sets: readonly CounterValue[];
  readonly removes: readonly string[];
  /** Unix seconds after which the item may be deleted; `undefined` leaves it as it is. */
  readonly expiresAt: number | undefined;
  /** An item's first expiry stays. */
  readonly keepsExpiry: boolean;
}

export interface WriteOutcome {
  readonly applied: boolean;
  /** Applied: the new counters. Refused: those that refused it, `undefined` when the store did not say. */
  readonly counters: Counters | undefined;
}

/** The three operations that a limiter needs of a table. */
export interface CounterStore {
  write(address: Address, write: ConditionalWrite, signal?: AbortSignal): Promise<WriteOutcome>;
  /** Strongly consistent; an absent item has no counters. */
  read(address: Address, signal?: AbortSignal): Promise<Counters>;
  remove(address: Address, signal?: AbortSignal): Promise<void>;
}
