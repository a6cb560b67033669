export const DIMENSIONS = ['routes', 'records', 'concurrent', 'headers', 'json'] as const;

export type Dimension = (typeof DIMENSIONS)[number];

export interface Point {
  readonly size: number;
  readonly value: number;
}

/** One line of a plot. */
export interface Series {
  readonly name: string;
  readonly unit: 'µs' | 'KiB';
  /** From the smallest size to the largest. */
  readonly points: readonly Point[];
}

/** Memory of a process that serves events of every kind, in bytes, after garbage was collected. */
export interface Memory {
  readonly residentBytes: number;
  readonly heapBytes: number;
}

/** After a thousand invocations, and after a hundred thousand. */
export interface Resident {
  readonly early: Memory;
  readonly late: Memory;
}
