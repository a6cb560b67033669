import { guardHook } from '@sallyport/core';
import { callHook } from '@sallyport/core/pipeline';
import type { Kernel } from './kernel.js';

/** A warning of the framework: to the hook `observability.log`, else to the logger. */
export function warn(kernel: Kernel, event: string, fields: Readonly<Record<string, unknown>>): void {
  const { observability, log } = kernel;
  if (observability.log) callHook(observability, 'log', { level: 'warn', event, ...fields });
  else guardHook(() => log.warn(event, fields));
}
