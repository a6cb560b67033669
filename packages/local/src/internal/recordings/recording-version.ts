import { isObject, type Members } from '@sallyport/core/internal';
import { RECORDING_SCHEMA } from '@sallyport/testkit/recorder';
import { usageError } from '../errors.js';

/**
 * The recording in a file: the recording itself, or the file that the console saves, with the answer next to it.
 *
 * @param place the file in messages
 * @throws FrameworkError `local.usage` for a recording of another version, and for a value that is not a recording
 */
export function recordingIn(saved: unknown, place: string): Members {
  const recording = isObject(saved) ? (saved.recording ?? saved) : undefined;
  const schema = isObject(recording) ? recording.schema : undefined;
  if (isObject(recording) && schema === RECORDING_SCHEMA) return recording;
  const version = typeof schema === 'string' ? schema : 'no version';
  throw usageError(
    `${place}: the recording has ${version}, and this version of sallyport reads ${RECORDING_SCHEMA}: record the event again, or use the version that recorded it`,
  );
}
