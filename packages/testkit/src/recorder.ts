// Sanitized recordings of real events, to be played again in tests.
export { createRecorder, type Recorder, type RecorderOptions } from './recorder/recorder.js';
export { loadRecording, RECORDING_SCHEMA, type RecordedEvents, type Recording } from './recorder/recording.js';
