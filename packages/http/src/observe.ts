import type { Observability } from '@sallyport/core';
import { type ActiveSpan, requestCompleted, startRequestSpan } from '@sallyport/core/pipeline';
import type { Exchange } from './exchange.js';
import type { Kernel } from './kernel.js';
import type { PipelineParts, Stage } from './pipeline.js';

/** Starts the span of a request whose route is known; costs two look-ups when nobody listens. */
export function beginSpan(observability: Observability): Stage {
  return (exchange) => {
    exchange.span = startRequestSpan(observability, exchange.state);
    return undefined;
  };
}

/** Emits the records of a request that has ended; `undefined` below tier P2. */
export function observer({ tier, observability, runtime }: Kernel): PipelineParts['observe'] {
  if (tier !== 'p2') return undefined;
  const { log, metric } = observability;
  const timed = log !== undefined || metric !== undefined;
  return (exchange, { status }, bytes) => {
    const span = exchange.span ?? spanOfUnmatched(observability, exchange);
    if (!timed && !span) return;
    const outcome = {
      status,
      errorCode: exchange.error?.code ?? '',
      durationMs: runtime.clock.monotonicMs() - exchange.startedMs,
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
