import { assertKnownOptions, invalidOption, type WebSocketClient } from '@sallyport/core';
import { assertMessageSize } from './message-size.js';

export interface BroadcastOptions {
  /** Sends at a time. Default 10. */
  readonly concurrency?: number;
  /** Called for each connection that no longer exists, to forget it. Awaited; a failure makes the connection `failed`. */
  readonly onGone?: (connectionId: string) => unknown;
}

/** What became of each connection; every id is in one list. */
export interface BroadcastResult {
  readonly sent: readonly string[];
  readonly gone: readonly string[];
  readonly failed: readonly { readonly connectionId: string; readonly error: unknown }[];
}

/**
 * Sends one message to many connections. A connection that fails holds up no other; an id that comes twice is sent to
 * once.
 *
 * @throws FrameworkError `websocket.too_large` before anything is sent; `app.invalid_configuration` for a bad option
 */
export async function broadcast(
  client: Pick<WebSocketClient, 'postToConnection'>,
  connectionIds: Iterable<string>,
  data: Uint8Array,
  options: BroadcastOptions = {},
): Promise<BroadcastResult> {
  assertKnownOptions(options, ['concurrency', 'onGone']);
  const { concurrency = 10, onGone } = options;
  if (!Number.isSafeInteger(concurrency) || concurrency < 1)
    throw invalidOption('concurrency', 'a whole number, 1 or more');
  if (onGone !== undefined && typeof onGone !== 'function') throw invalidOption('onGone', 'a function');
  assertMessageSize(data);
  const result = {
    sent: [] as string[],
    gone: [] as string[],
    failed: [] as { connectionId: string; error: unknown }[],
  };
  const ids = new Set(connectionIds);
  const waiting = ids.values();
  const worker = async () => {
    for (const connectionId of waiting) {
      try {
        const { gone } = await client.postToConnection(connectionId, data);
        if (gone) await onGone?.(connectionId);
        result[gone ? 'gone' : 'sent'].push(connectionId);
      } catch (error) {
        result.failed.push({ connectionId, error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, ids.size) }, worker));
  return result;
}
