import type { Observability } from '@sallyport/core';
import { type ActiveSpan, requestCompleted, startRequestSpan } from '@sallyport/core/pipeline';
import type { Exchange } from './exchange.js';
import type { Observe, Stage } from './pipeline.js';

/** Starts the span of a request whose route is known; costs two look-ups when nobody listens. */
export function beginSpan(observability: Observability): Stage {
  return (exchange) => {
    exchange.span = startRequestSpan(observability, exchange.state);
    return undefined;
  };
}

/** Emits the records of a request that has ended. */
export function observer(observability: Observability): Observe {
  const { log, metric } = observability;
  const timed = log !== undefined || metric !== undefined;
  return (exchange, { status }, bytes) => {
    const span = exchange.span ?? spanOfUnmatched(observability, exchange);
    if (!timed && !span) return;
    const outcome = {
      status,
      errorCode: exchange.error?.code ?? '',
      durationMs: exchange.state.runtime.clock.monotonicMs() - exchange.startedMs,
      streamed: exchange.streamed,
      responseBytes: bytes(),
    };
    requestCompleted(observability, exchange.state, outcome, span);
  };
}

/** A request that never reached a route has a span all the same. */
function spanOfUnmatched(observability: Observability, { state }: Exchange): ActiveSpan | undefined {
  return state.route === null ? startRequestSpan(observability, state) : undefined;
}
