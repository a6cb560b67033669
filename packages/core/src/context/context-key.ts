declare const VALUE: unique symbol;
/** Known to every copy of this package. */
const BRAND: unique symbol = Symbol.for('sallyport.ContextKey') as never;

/** A key of `ctx.set` and `ctx.get` that knows the type of its value. */
export interface ContextKey<T> {
  /** For people who read it in a debugger; two keys of one name are two keys. */
  readonly name: string;
  /** In the type only. */
  readonly [VALUE]?: (value: T) => T;
}

/**
 * A key for values that middlewares hand to handlers. Made once, beside the middleware that sets it, and imported where it is read.
 *
 * @param name says what is kept, for debuggers; other keys may have the same
 * @example
 * export const currentUser = contextKey<User>('user');
 * // in a middleware: ctx.set(currentUser, await users.load(ctx.authIdentity));
 * // in a handler: ctx.get(currentUser)?.email
 */
export function contextKey<T>(name: string): ContextKey<T> {
  return Object.freeze({ name, [BRAND]: true });
}

/** Whether a value was made by `contextKey`, of this copy of the package or another. */
export function isContextKey(value: unknown): value is ContextKey<unknown> {
  return typeof value === 'object' && value !== null && (value as { [BRAND]?: true })[BRAND] === true;
}
