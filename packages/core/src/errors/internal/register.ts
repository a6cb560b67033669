/** Name, version, and an error whose first frame is the place. */
export type Copy = readonly [name: string, version: string, at: Error];

interface Copies extends Array<Copy> {
  /** The number of copies at the time of the last warning. */
  reported?: number;
}

const COPIES = Symbol.for('sallyport.copies/1');

/** The loaded packages of the framework, of any version and copy. */
export function registeredCopies(): Copies {
  const shared = globalThis as { [COPIES]?: Copies };
  shared[COPIES] ??= [];
  return shared[COPIES];
}

/**
 * Registers a copy of a package when it is loaded, so that duplicate copies can be reported. Call it in a module that all code of the package
 * needs: bundlers leave out modules without used exports.
 *
 * @param at `new Error()`: its stack is formatted only if two copies are reported
 */
export function registerCopy(name: string, version: string, at: Error): void {
  registeredCopies().push([name, version, at]);
}
