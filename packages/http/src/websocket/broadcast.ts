import { FrameworkError, type WebSocketClient } from '@sallyport/core';
import { WEBSOCKET_MAX_MESSAGE_BYTES } from '@sallyport/core/internal';
import { defineOptions, func, integer, kind } from '@sallyport/core/options';

/** Options of {@link broadcast}. */
export interface BroadcastOptions {
  /** Sends at a time. Default 10. */
  readonly concurrency?: number;
  /** Ends the calls; connections to which nothing was sent are listed as `failed`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called for each connection that no longer exists, so that you can delete it. It is awaited; if it fails, the connection is
   * listed as `failed`.
   */
  readonly onGone?: (connectionId: string) => unknown;
}

/** Validators and defaults for {@link BroadcastOptions}. */
export const BROADCAST_OPTIONS = defineOptions<BroadcastOptions>()({
  concurrency: integer(1).default(10),
  onGone: func<(connectionId: string) => unknown>(),
  signal: kind<AbortSignal>('an AbortSignal', (value) => value instanceof AbortSignal),
});

/** The outcome for each connection; every id is in one list. */
export interface BroadcastResult {
  /** Connections that received the message. */
  readonly sent: readonly string[];
  /** Connections that no longer exist. */
  readonly gone: readonly string[];
  /** Connections for which sending failed, with the error of each. */
  readonly failed: readonly { readonly connectionId: string; readonly error: unknown }[];
}

/**
 * Sends one message to many connections. A failing connection does not delay the others; a repeated id receives one message.
 *
 * @throws FrameworkError `websocket.too_large` before anything is sent; `app.invalid_configuration` for a bad option
 */
export async function broadcast(
  client: Pick<WebSocketClient, 'postToConnection'>,
  connectionIds: Iterable<string>,
  data: Uint8Array,
  options: BroadcastOptions = {},
): Promise<BroadcastResult> {
  const { concurrency, onGone, signal } = BROADCAST_OPTIONS.parse(options);
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
        const { gone } = await client.postToConnection(connectionId, data, { signal });
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

/** The largest message that API Gateway accepts, in bytes. */
export const MAX_MESSAGE_BYTES = WEBSOCKET_MAX_MESSAGE_BYTES;

/** @throws FrameworkError `websocket.too_large`, 413, or `websocket.invalid_message`, before anything is sent */
export function assertMessageSize(data: Uint8Array): void {
  if (!(data instanceof Uint8Array)) {
    throw new FrameworkError('websocket.invalid_message', 'framework: message must be bytes');
  }
  if (data.byteLength <= MAX_MESSAGE_BYTES) return;
  throw new FrameworkError('websocket.too_large', `framework: message exceeds ${MAX_MESSAGE_BYTES} bytes`, {
    statusCode: 413,
  });
}
