import type { INVALID_CONFIGURATION } from '@sallyport/core/options';

/** Every code that this package throws, and when. */
export type TestKitErrorCode =
  /** An option is unknown or has a wrong value, or options contradict each other. */
  | typeof INVALID_CONFIGURATION
  /** `loadRecording`: not JSON, not a recording, an event that is not of the recorded kind, or a recording of another kind. */
  | 'testkit.invalid_recording'
  /** A fake WebSocket client received a message that exceeds API Gateway's limit. @status 413 */
  | 'websocket.too_large';
