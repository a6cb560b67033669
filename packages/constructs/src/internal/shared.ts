/**
 * A registry that all copies of this package share, so that a copy can read the attachments of another copy.
 *
 * @param name with a version, which changes when the values do: `claims/1`
 */
export function sharedRegistry<K extends object, V>(name: string): WeakMap<K, V> {
  const key = Symbol.for(`sallyport.constructs.${name}`);
  const shared = globalThis as unknown as Record<symbol, WeakMap<K, V> | undefined>;
  shared[key] ??= new WeakMap();
  return shared[key];
}
