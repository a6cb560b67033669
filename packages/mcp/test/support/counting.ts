import type { McpStore } from '../../src/index.js';

/** The store, with how often each of its methods was called. */
export function counting(store: McpStore): McpStore & { readonly counts: Record<string, number> } {
  const counts: Record<string, number> = {};
  const counted = <A extends unknown[], R>(name: string, method: (...args: A) => R) => {
    return (...args: A): R => {
      counts[name] = (counts[name] ?? 0) + 1;
      return method(...args);
    };
  };
  return {
    counts,
    get: counted('get', store.get.bind(store)),
    put: counted('put', store.put.bind(store)),
    take: counted('take', store.take.bind(store)),
    list: counted('list', store.list.bind(store)),
  };
}
