import { type Clock, systemClock, type WebSocketClient } from '@sallyport/core';
import { type BroadcastResult, broadcast } from '@sallyport/http/websocket';
import { BroadcastStopped, invalidInput } from './errors.js';
import type { ConnectionsOfApi, GroupedConnectionRegistry } from './registry/registry.js';

/** Arguments of {@link broadcastToGroup}. */
export interface BroadcastToGroupInput {
  /** The registry with the group. A connection that no longer exists is deleted from it. */
  readonly registry: Pick<GroupedConnectionRegistry, 'listByGroup' | 'delete'>;
  /** The client for the messages: `await ctx.asWebSocket()?.client()`, or the result of `createWebSocketClient`. */
  readonly client: Pick<WebSocketClient, 'postToConnection'>;
  /** The API and stage of the group. */
  readonly api: ConnectionsOfApi;
  /** Name of the group. */
  readonly group: string;
  /** The message, at most 128 KiB. */
  readonly data: Uint8Array;
  /** Concurrent sends. Default 10. */
  readonly concurrency?: number;
  /** Stops the broadcast: the next send does not start. For example `ctx.signal`, which aborts before the invocation ends. */
  readonly signal?: AbortSignal | undefined;
  /** The time after which no send starts, for example `ctx.deadline`. Default: none. */
  readonly deadline?: Date | null | undefined;
  /** The clock for the deadline. Default: the system's clock. */
  readonly clock?: Clock | undefined;
  /** The cursor of a stopped broadcast: continues with the connections that it has not reached. */
  readonly cursor?: string | undefined;
}

/** Connections of one page. A cursor contains the connections of its page that were not reached. */
const PAGE = 100;

/** The place of a broadcast: connections to send to, and the page after them. */
interface Place {
  /** The next connections, before any page. */
  readonly ids: readonly string[];
  /** The cursor of the next page; `null` for the first page, `undefined` after the last page. */
  readonly page: string | null | undefined;
}

/**
 * Sends one message to every connection of a group, page by page, and deletes connections that no longer exist. A failing
 * connection does not delay the others. A stopped broadcast throws its progress and a cursor, so that a retry reaches only the other
 * connections.
 *
 * @throws BroadcastStopped if the table fails, the signal aborts or the deadline passes; FrameworkError `websocket.too_large`
 *   before the first send; ConnectionError `connections.invalid_input` for a wrong cursor
 * @example
 * const { sent } = await broadcastToGroup({ registry, client, api, group: 'room-1', data: new TextEncoder().encode('hello') });
 */
export async function broadcastToGroup(input: BroadcastToGroupInput): Promise<BroadcastResult> {
  const { registry, api, group } = input;
  const total = { sent: [] as string[], gone: [] as string[], failed: [] as BroadcastResult['failed'][number][] };
  let place: Place = input.cursor === undefined ? { ids: [], page: null } : parseCursor(input.cursor);
  for (;;) {
    const left = await sendTo(input, place.ids, total);
    place = { ...place, ids: left };
    const reason = left.length > 0 || place.page !== undefined ? stopReason(input) : undefined;
    if (reason !== undefined || left.length > 0) throw new BroadcastStopped(total, encodeCursor(place), reason);
    if (place.page === undefined) return total;
    try {
      const { connections, cursor } = await registry.listByGroup(api, group, {
        limit: PAGE,
        cursor: place.page ?? undefined,
        signal: input.signal,
      });
      place = { ids: connections.map(({ connectionId }) => connectionId), page: cursor };
    } catch (cause) {
      throw new BroadcastStopped(total, encodeCursor(place), cause);
    }
  }
}

/** Sends to these connections, until the broadcast is stopped. Returns the connections to which nothing was sent. */
async function sendTo(
  input: BroadcastToGroupInput,
  ids: readonly string[],
  total: { readonly sent: string[]; readonly gone: string[]; readonly failed: BroadcastResult['failed'][number][] },
): Promise<readonly string[]> {
  const { registry, client, api, data, concurrency } = input;
  const left: string[] = [];
  const stoppable: typeof client = {
    postToConnection: async (connectionId, message) => {
      if (stopReason(input) === undefined) return client.postToConnection(connectionId, message);
      left.push(connectionId);
      throw new Error('stopped');
    },
  };
  const onGone = (connectionId: string) => registry.delete({ apiId: api.apiId, stage: api.stage, connectionId });
  const result = await broadcast(stoppable, ids, data, { onGone, ...(concurrency !== undefined && { concurrency }) });
  total.sent.push(...result.sent);
  total.gone.push(...result.gone);
  total.failed.push(...result.failed.filter(({ connectionId }) => !left.includes(connectionId)));
  return left;
}

/** The reason why the broadcast must stop; `undefined` if it continues. */
function stopReason({ signal, deadline, clock = systemClock }: BroadcastToGroupInput): unknown {
  if (signal?.aborted) return signal.reason ?? new Error('aborted');
  if (deadline && clock.now().getTime() >= deadline.getTime())
    return new Error('the deadline of the broadcast has passed');
  return undefined;
}

/** The cursor; `undefined` if a retry must start from the beginning. */
function encodeCursor({ ids, page }: Place): string | undefined {
  if (page === null) return undefined;
  return Buffer.from(JSON.stringify({ i: ids, p: page })).toString('base64url');
}

/** @throws ConnectionError `connections.invalid_input` */
function parseCursor(cursor: string): Place {
  try {
    const { i: ids, p: page } = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as { i: unknown; p?: unknown };
    const isPage = page === undefined || typeof page === 'string';
    if (Array.isArray(ids) && ids.every((id) => typeof id === 'string') && isPage) return { ids, page };
  } catch {
    // Rejected below.
  }
  throw invalidInput('cursor must be the cursor of a stopped broadcast');
}
