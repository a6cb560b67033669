/** The result of {@link drop}. */
export interface Drop {
  /** Only for the compiler: nothing else is a {@link Drop}. */
  readonly dropped: true;
}

/** The one value that drops. */
export const DROPPED: Drop = /* @__PURE__ */ Object.freeze({ dropped: true });

/**
 * The result of a handler that leaves a record out on purpose.
 *
 * @example firehoseTransform((ctx, { data }) => (data.length === 0 ? drop() : data));
 */
export function drop(): Drop {
  return DROPPED;
}
