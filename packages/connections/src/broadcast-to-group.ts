import type { WebSocketClient } from '@sallyport/core';
import { type BroadcastResult, broadcast } from '@sallyport/http/websocket';
import type { ConnectionsOfApi, GroupedConnectionRegistry } from './registry/registry.js';

/** What {@link broadcastToGroup} needs. */
export interface BroadcastToGroupInput {
  /** The registry with the group. A connection that no longer exists is deleted from it. */
  readonly registry: Pick<GroupedConnectionRegistry, 'listByGroup' | 'delete'>;
  /** The client that sends: `await ctx.asWebSocket()?.client()`, or one made by `createWebSocketClient`. */
  readonly client: Pick<WebSocketClient, 'postToConnection'>;
  /** The API and stage of the group. */
  readonly api: ConnectionsOfApi;
  /** Name of the group. */
  readonly group: string;
  /** The message, at most 128 KiB. */
  readonly data: Uint8Array;
  /** Concurrent sends. Default 10. */
  readonly concurrency?: number;
}

/**
 * Sends one message to every connection of a group, page by page, and deletes connections that no longer exist. A failing
 * connection does not delay the others.
 *
 * @throws ConnectionError when the table fails; FrameworkError `websocket.too_large` before anything is sent
 * @example
 * const { sent } = await broadcastToGroup({ registry, client, api, group: 'room-1', data: new TextEncoder().encode('hello') });
 */
export async function broadcastToGroup(input: BroadcastToGroupInput): Promise<BroadcastResult> {
  const { registry, client, api, group, data, concurrency } = input;
  const total = { sent: [] as string[], gone: [] as string[], failed: [] as BroadcastResult['failed'][number][] };
  const onGone = (connectionId: string) => registry.delete({ apiId: api.apiId, stage: api.stage, connectionId });
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const page = await registry.listByGroup(api, group, { limit: 1000, cursor });
    const ids = page.connections.map(({ connectionId }) => connectionId);
    const result = await broadcast(client, ids, data, { onGone, ...(concurrency !== undefined && { concurrency }) });
    total.sent.push(...result.sent);
    total.gone.push(...result.gone);
    total.failed.push(...result.failed);
    cursor = page.cursor;
  }
  return total;
}
