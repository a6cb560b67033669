const MAX_CALLS = 10_000;

/** A list that a runaway test cannot fill the memory with: what comes after 10,000 entries is not kept. */
export class CallLog<T> {
  readonly entries: T[] = [];

  push(entry: T): void {
    if (this.entries.length < MAX_CALLS) this.entries.push(entry);
  }
}

/** Errors to be thrown by the next calls, one each. */
export class Failures {
  readonly #next: { readonly error: unknown }[] = [];

  add(error: unknown): void {
    this.#next.push({ error });
  }

  /** @throws the error that the test asked for, once */
  raise(): void {
    const failure = this.#next.shift();
    if (failure) throw failure.error;
  }
}

/** What every fake takes. */
export interface FakeOptions {
  /** A turn before each call is answered: the environment's `pause`, so that `interleave` may park there. */
  readonly pause?: () => Promise<void>;
}
