/** The parameter that a segment of a pattern represents: `{id}`, `:id`, `{rest+}`, `:rest+`; `never` for a static segment. */
type SegmentName<S extends string> = S extends `{${infer Name}+}`
  ? Name
  : S extends `{${infer Name}}`
    ? Name
    : S extends `:${infer Name}+`
      ? Name
      : S extends `:${infer Name}`
        ? Name
        : never;

type NamesIn<P extends string> = P extends `${infer Head}/${infer Tail}`
  ? SegmentName<Head> | NamesIn<Tail>
  : SegmentName<P>;

/**
 * The names of a pattern's path parameters: `'id'` for `/orders/{id}`, `never` for `/orders`. `string` for a pattern that is
 * not wholly known to the compiler, so that any name may be asked for.
 */
export type PathNames<P extends string> = Record<never, 1> extends Record<P, 1> ? string : NamesIn<P>;
