/** Numbers of invocations in the order of the list, the newest first. */
export interface IdList {
  readonly length: number;
  /** The number at a place; `undefined` beyond the ends. */
  at(place: number): number | undefined;
  /** The place of a number; -1 if it is not in the list. */
  placeOf(id: number): number;
}

/** All numbers from `last` down to `oldest`. No list of them is made: there can be 50,000. */
export function allIds(oldest: number, last: number): IdList {
  const length = Math.max(0, last - oldest + 1);
  return {
    length,
    at: (place) => (place >= 0 && place < length ? last - place : undefined),
    placeOf: (id) => (id >= oldest && id <= last ? last - id : -1),
  };
}

/** Numbers that were found, the newest first. */
export function foundIds(ids: readonly number[]): IdList {
  return { length: ids.length, at: (place) => ids[place], placeOf: (id) => ids.indexOf(id) };
}
