import { requestCompleted, startRequestSpan } from '@sallyport/core/pipeline';
import type { Observe, Stage } from './run.js';

/** Starts the span of a request whose route is known; costs two look-ups when nobody listens. */
export const beginSpan: Stage = (exchange) => {
  const { observability } = exchange.state.runtime;
  if (observability) exchange.span = startRequestSpan(observability, exchange.state);
  return undefined;
};

/** Emits the records of a request that has ended. */
export const observeExchange: Observe = (exchange, { status }, bytes) => {
  const { state } = exchange;
  const { observability, clock } = state.runtime;
  if (!observability) return;
  // A request that never reached a route has a span all the same.
  const span = exchange.span ?? (state.route === null ? startRequestSpan(observability, state) : undefined);
  if (!observability.log && !observability.metric && !span) return;
  const outcome = {
    status,
    errorCode: exchange.error?.code ?? '',
    durationMs: clock.monotonicMs() - exchange.startedMs,
    streamed: exchange.streamed,
    responseBytes: bytes(),
  };
  requestCompleted(observability, state, outcome, span);
};
