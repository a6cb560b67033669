import type { McpStore } from '../src/index.js';

/**
 * A store that throws once its request is answered: the platform freezes then, and nothing must run. It works again with the
 * next request (`begin`), as an instance does.
 */
export function guardStore(
  store: McpStore,
  report: (what: string) => void,
): { readonly store: McpStore; readonly begin: () => void; readonly end: () => void } {
  let ended = false;
  const check = (method: string): void => {
    if (!ended) return;
    report(`${method} after the response has ended`);
    throw new Error(`judge: the store was used after the response had ended (${method})`);
  };
  return {
    store: {
      get: async (key) => {
        check('get');
        return store.get(key);
      },
      put: async (row, when) => {
        check('put');
        return store.put(row, when);
      },
      take: async (key) => {
        check('take');
        return store.take(key);
      },
      list: async (partition, after, limit) => {
        check('list');
        return store.list(partition, after, limit);
      },
    },
    begin: () => {
      ended = false;
    },
    end: () => {
      ended = true;
    },
  };
}
