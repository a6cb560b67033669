import { type FrameworkError, guardHook, type LambdaContext, type Logger } from '@sallyport/core';
import { bindInvocation } from '@sallyport/core/pipeline';
import type { Explanation } from '../explain.js';

/** One `error` line with the row that came closest. A logger that throws changes nothing. */
export function reportUnknown(error: FrameworkError, log: Logger, lambdaContext: LambdaContext | undefined): void {
  const { nearest } = error.details as Explanation;
  guardHook(() => bindInvocation(log, lambdaContext, '').error(error.message, { event: error.code, nearest }));
}
