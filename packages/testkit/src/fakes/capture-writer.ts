import { CallLog } from './call-log.js';

export interface CaptureWriter {
  /** For the logger's or the EMF sink's option `write`. */
  readonly write: (line: string) => void;
  /** Each line parsed. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** Each line as it was written. */
  readonly raw: readonly string[];
}

/** Keeps the lines of a logger or an EMF sink. A line that is no JSON object fails its writer. */
export function captureWriter(): CaptureWriter {
  const lines = new CallLog<Record<string, unknown>>();
  const raw = new CallLog<string>();
  return {
    write(line) {
      lines.push(JSON.parse(line) as Record<string, unknown>);
      raw.push(line);
    },
    lines: lines.entries,
    raw: raw.entries,
  };
}
