/** The result of {@link drop}. */
export interface Drop {
  /** Exists only for the compiler, so that no other value is a {@link Drop}. */
  readonly dropped: true;
}

/** The only value of {@link Drop}. */
export const DROPPED: Drop = /* @__PURE__ */ Object.freeze({ dropped: true });

/**
 * The result of a handler that drops a record on purpose.
 *
 * @example firehoseTransform((ctx, { data }) => (data.length === 0 ? drop() : data));
 */
export function drop(): Drop {
  return DROPPED;
}
