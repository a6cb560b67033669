/** Name, version, and an error whose first frame is the place. */
export type Copy = readonly [name: string, version: string, at: Error];

interface Copies extends Array<Copy> {
  /** How many were looked at when the last warning was written. */
  reported?: number;
}

const COPIES = Symbol.for('sallyport.copies/1');

/** The packages of ours that are loaded, of any version and copy. */
export function registeredCopies(): Copies {
  const shared = globalThis as { [COPIES]?: Copies };
  shared[COPIES] ??= [];
  return shared[COPIES];
}

/**
 * Registers a copy of a package at its load, so that two copies can be named. Call it in a module that everything of the package
 * needs: bundlers leave out modules of which nothing is used.
 *
 * @param at `new Error()`: its stack is written out only where two copies are named
 */
export function registerCopy(name: string, version: string, at: Error): void {
  registeredCopies().push([name, version, at]);
}
