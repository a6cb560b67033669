export const DIMENSIONS = ['registering', 'matching', 'records', 'concurrent', 'headers', 'json'] as const;

export type Dimension = (typeof DIMENSIONS)[number];

export interface Point {
  readonly size: number;
  readonly value: number;
}

/** One line of a plot. */
export interface Series {
  readonly name: string;
  readonly unit: 'µs' | 'KiB';
  /** True if it is what the engine alone takes for the same work. */
  readonly isEngine: boolean;
  /** From the smallest size to the largest. */
  readonly points: readonly Point[];
}

/** Memory of a process that serves events of every kind, in bytes. */
export interface Memory {
  /** What the process holds when it has done its calls: garbage and free pages too. */
  readonly heldBytes: number;
  /** What of it is left after V8 collected everything and gave back the pages that it does not need. */
  readonly residentBytes: number;
  /** The objects alive then. */
  readonly heapBytes: number;
}

/** After a thousand invocations, and after a hundred thousand. */
export interface Resident {
  readonly early: Memory;
  readonly late: Memory;
}

/** Everything that was measured. */
export interface Growth {
  readonly dimensions: readonly { readonly dimension: Dimension; readonly series: readonly Series[] }[];
  readonly resident: Resident;
  /** Of hand-written handlers, in the same calls. */
  readonly bare: Resident;
}
