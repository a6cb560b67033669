import { guardHook, type LogRecord, silentLogger } from '@sallyport/core';
import type { Kernel } from './kernel.js';

/** A warning of the framework: to the hook, else to the logger; on real Lambda without either, to standard error. */
export function warn(kernel: Kernel, event: string, fields: Readonly<Record<string, unknown>>): void {
  const { observability, log } = kernel;
  const record: LogRecord = { level: 'warn', event, ...fields };
  if (observability.log) guardHook(observability.log, record);
  else if (log !== silentLogger) guardHook(() => log.warn(event, fields));
  else if (kernel.isLambda) console.warn(JSON.stringify(record));
}
