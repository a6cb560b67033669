import type { FullClock } from '@sallyport/core';
import { storeUntil } from '@sallyport/dynamo';
import { type McpRequest, nowMs } from '../../http/internal/transport.js';
import type { ServerData } from '../../server/internal/server-data.js';
import { type McpStore, storeFailure } from '../store.js';

/** Milliseconds for which a write is repeated while a client waits that gets its answer even if the write fails; for outages of 5 s. */
export const CLIENT_WAITS_MS = 8000;

/** Returns the time at which calls of a store are no longer repeated, in epoch milliseconds. Called at the beginning of each call. */
export type Until = () => number;

/** The end of the invocation. */
export const toTheEnd =
  ({ deadline }: McpRequest): Until =>
  () =>
    deadline;

/** Some seconds from now, or the end of the invocation if that is earlier. */
export const whileClientWaits =
  ({ deadline, clock }: McpRequest): Until =>
  () =>
    Math.min(deadline, nowMs(clock) + CLIENT_WAITS_MS);

/**
 * The same server, with a store, a spill and a starter of tasks that repeat failed calls: for finished work whose end must be stored. All
 * attempts of one write have the same id, so a write is applied once even if its response is lost. Only transient failures are
 * repeated.
 */
export function withLastingStore(server: ServerData, clock: FullClock, until: Until): ServerData {
  const { store, spill, tasks } = server.settings;
  const lasting = repeating(clock, until);
  return {
    ...server,
    settings: {
      ...server.settings,
      ...(store && { store: lastingStore(store, clock, until) }),
      ...(spill && {
        spill: {
          put: (key: string, data: Uint8Array) => lasting((_, signal) => spill.put(key, data, { signal })),
          get: (key: string) => lasting((_, signal) => spill.get(key, { signal })),
          // A failed deletion only costs storage.
          ...(spill.delete && { delete: spill.delete.bind(spill) }),
        },
      }),
      ...(tasks && {
        tasks: { ...tasks, start: (event) => lasting(async (_, signal) => tasks.start(event, { signal })) },
      }),
    },
  };
}

type Repeating = <T>(call: (writeId: string, signal: AbortSignal) => Promise<T>) => Promise<T>;

function repeating(clock: FullClock, until: Until): Repeating {
  return (call) => storeUntil({ clock, deadlineMs: until(), timedOut: storeFailure }, call);
}

/** A store that repeats failed calls until a time. All attempts of one write have the same id. */
export function lastingStore(store: McpStore, clock: FullClock, until: Until): McpStore {
  const lasting = repeating(clock, until);
  return {
    get: (key) => lasting((_, signal) => store.get(key, { signal })),
    put: (row, when) =>
      lasting((writeId, signal) => store.put({ ...row, writer: row.writer ?? writeId }, when, { signal })),
    take: (key) => lasting((_, signal) => store.take(key, { signal })),
    list: (partition, after, limit) => lasting((_, signal) => store.list(partition, after, limit, { signal })),
  };
}
