import type { INVALID_CONFIGURATION } from '@sallyport/core/options';

/** Every code that this package throws, and when. */
export type TestkitErrorCode =
  /** `loadRecording`: not JSON, not a recording, an event that is not of the recorded kind, or a recording of another kind. */
  | 'testkit.invalid_recording'
  /** An unknown option, a wrong type, or options that contradict each other. */
  | typeof INVALID_CONFIGURATION;
