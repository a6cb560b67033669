declare const VALUE: unique symbol;
/** Known to every copy of this package. */
const BRAND: unique symbol = Symbol.for('sallyport.ContextKey') as never;

/** A key for `ctx.set` and `ctx.get` with the type of its value. */
export interface ContextKey<T> {
  /** Shown in a debugger; two keys with the same name are different keys. */
  readonly name: string;
  /** Exists only in the type. */
  readonly [VALUE]?: (value: T) => T;
}

/**
 * Creates a key for values that middlewares pass to handlers. Create it once, next to the middleware that sets it, and
 * import it where it is read.
 *
 * @param name a name for debuggers; need not be unique
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
