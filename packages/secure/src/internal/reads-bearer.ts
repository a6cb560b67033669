/** Registered by name, so that the mark is seen across two copies of this package. */
const READS_BEARER = Symbol.for('sallyport.readsBearer');

/** Marks a resolver that reads bearer tokens: a container that has it challenges callers without one to send one. */
export function markBearerReader<T extends object>(resolver: T): T {
  return Object.defineProperty(resolver, READS_BEARER, { value: true });
}

/** Whether a resolver carries the mark. */
export function readsBearer(resolver: unknown): boolean {
  return typeof resolver === 'function' && Object.hasOwn(resolver, READS_BEARER);
}
