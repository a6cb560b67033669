import { isFailure, logFailure, writesErrors } from '@sallyport/core/pipeline';
import { RESPONSE_TOO_LARGE } from './error-body.js';
import type { Exchange } from './exchange.js';

const REQUEST_FAILED = 'framework: request failed';
/** Message of the line for an answer that broke off behind its first byte. */
export const STREAM_FAILED = 'framework: response stream failed';

/**
 * Writes the one `error` line of an exchange that failed. What a client may expect (a FrameworkError below 500) is no failure;
 * an answer that is too large is one, although it is answered 413.
 */
export function reportFailure(exchange: Exchange, thrown: unknown, message = REQUEST_FAILED): void {
  const isExpected = message === REQUEST_FAILED && thrown !== RESPONSE_TOO_LARGE && !isFailure(thrown);
  if (exchange.reported || isExpected) return;
  exchange.reported = true;
  if (!writesErrors(exchange.state.runtime.log)) return;
  logFailure(() => exchange.ctx.log, message, thrown);
}
