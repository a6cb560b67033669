import type { Logger } from '@sallyport/core';

export interface LogRecorder extends Logger {
  /** Level and message of each line. */
  readonly lines: (readonly [string, string])[];
}

export function createLogRecorder(): LogRecorder {
  const lines: (readonly [string, string])[] = [];
  const writer = (level: string) => (message: string) => {
    lines.push([level, message]);
  };
  const recorder: LogRecorder = {
    lines,
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    isEnabled: () => true,
    with: () => recorder,
  };
  return recorder;
}
