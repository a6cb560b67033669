import { StoreTimeout } from '@sallyport/core/internal';
import { type InvocationLimit, withinInvocation } from '../../internal/invocation-limit.js';
import type { ServerData } from '../../server/internal/server-data.js';
import { type McpStore, type StoreCallOptions, storeFailure } from '../store.js';

/**
 * The same server for one invocation: calls of its store, its spill, its secret and the starter of its tasks end shortly before the
 * invocation does. They are not stopped when the client disconnects, because a run continues then and its client can resume it.
 */
export function limitedServer(server: ServerData, limit: InvocationLimit): ServerData {
  const { settings, sealer } = server;
  const { store, spill, tasks } = settings;
  // A secret that is not a function is not read.
  if (!store && !spill && typeof settings.secret !== 'function') return server;
  const limited = async <T>(options: StoreCallOptions | undefined, call: (inner: StoreCallOptions) => Promise<T>) => {
    try {
      return await withinInvocation(limit, options?.signal, (signal) => call({ signal }));
    } catch (error) {
      throw error instanceof StoreTimeout ? storeFailure(error) : error;
    }
  };
  return {
    ...server,
    sealer: sealer.within(limit),
    settings: {
      ...settings,
      ...(store && { store: limitedStore(store, limited) }),
      ...(spill && {
        spill: {
          put: (key: string, data: Uint8Array, options?: StoreCallOptions) =>
            limited(options, (inner) => spill.put(key, data, inner)),
          get: (key: string, options?: StoreCallOptions) => limited(options, (inner) => spill.get(key, inner)),
          ...(spill.delete && {
            delete: (key: string, options?: StoreCallOptions) =>
              limited(options, async (inner) => spill.delete?.(key, inner)),
          }),
        },
      }),
      ...(tasks && {
        tasks: {
          ...tasks,
          start: (event, options) =>
            withinInvocation(limit, options?.signal, async (signal) => tasks.start(event, { signal })),
        },
      }),
    },
  };
}

type Limited = <T>(options: StoreCallOptions | undefined, call: (inner: StoreCallOptions) => Promise<T>) => Promise<T>;

function limitedStore(store: McpStore, limited: Limited): McpStore {
  return {
    get: (key, options) => limited(options, (inner) => store.get(key, inner)),
    put: (row, when, options) => limited(options, (inner) => store.put(row, when, inner)),
    take: (key, options) => limited(options, (inner) => store.take(key, inner)),
    list: (partition, after, limit, options) => limited(options, (inner) => store.list(partition, after, limit, inner)),
  };
}
