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

/** Resident memory of one process that serves events of every kind, in bytes. */
export interface Resident {
  readonly after1000: number;
  readonly after100000: number;
}
