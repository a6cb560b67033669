import { FrameworkError } from '@sallyport/core';

/** The most that API Gateway takes as one message, in bytes. */
export const MAX_MESSAGE_BYTES = 131_072;

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
