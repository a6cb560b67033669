import { type FrameworkError, guardHook, type LambdaContext, type Logger } from '@sallyport/core';
import { bindLogger } from '@sallyport/core/pipeline';
import type { Explanation } from '../explain/explain.js';
import { safeText } from './words.js';

const MAX_REQUEST_ID_CHARACTERS = 128;

/** One `error` line with the row that came closest. A logger that throws changes nothing. */
export function reportUnknown(error: FrameworkError, log: Logger, lambdaContext: LambdaContext | undefined): void {
  const { nearest } = error.details as Explanation;
  guardHook(() => {
    const id: unknown = lambdaContext?.awsRequestId;
    const bound = {
      request_id: typeof id === 'string' ? safeText(id, MAX_REQUEST_ID_CHARACTERS) : '',
      trace_id: '',
      tenant_id: '',
      trigger: '',
      function_name: '',
      function_version: '',
    };
    bindLogger(log, bound, () => undefined).error(error.message, { event: error.code, nearest });
  });
}
