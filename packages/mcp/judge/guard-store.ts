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
      get: async (key, options) => {
        check('get');
        return store.get(key, options);
      },
      put: async (row, when, options) => {
        check('put');
        return store.put(row, when, options);
      },
      take: async (key, options) => {
        check('take');
        return store.take(key, options);
      },
      list: async (partition, after, limit, options) => {
        check('list');
        return store.list(partition, after, limit, options);
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
