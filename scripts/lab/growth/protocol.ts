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
  /** True if it measures only the engine for the same work. */
  readonly isEngine: boolean;
  /** From the smallest size to the largest. */
  readonly points: readonly Point[];
}

/** Memory of a process that serves events of every kind, in bytes. */
export interface Memory {
  /** The memory of the process after its calls, including garbage and free pages. */
  readonly heldBytes: number;
  /** The remaining memory after V8 collected all garbage and released the pages that it does not need. */
  readonly residentBytes: number;
  /** The live objects at that time. */
  readonly heapBytes: number;
}

/** After a thousand invocations, and after a hundred thousand. */
export interface Resident {
  readonly early: Memory;
  readonly late: Memory;
}

/** All measured values. */
export interface Growth {
  readonly dimensions: readonly { readonly dimension: Dimension; readonly series: readonly Series[] }[];
  readonly resident: Resident;
  /** Of hand-written handlers, in the same calls. */
  readonly bare: Resident;
}
