import type { Observability } from '@sallyport/core';
import { channelOf, parseObservability, requestCompleted, startRequestSpan } from '@sallyport/core/internal';
import type { Observe, Stage } from './run.js';

/** The result of `observe`. */
export interface Observation {
  /** The hooks, checked. */
  readonly hooks: Observability;
  /** Stores the start of the request; `undefined` when no hook needs durations. */
  readonly startTimer: Stage | undefined;
  /** Starts the span of the request. Without a listener this costs two look-ups. */
  readonly beginSpan: Stage;
  /** Emits the records of a request that has ended. */
  readonly report: Observe;
}

/**
 * Log, metric and span of every request, and `ctx.metric`: the option `observability` of a router. The code for it is in a
 * bundle only if this function is imported. Spans are also published on `diagnostics_channel`, without any hook.
 *
 * @example createHttpRouter({ observability: observe({ log: (record) => console.log(JSON.stringify(record)) }) });
 * @throws FrameworkError `app.invalid_configuration` for an unknown key or a member of a wrong type
 */
export function observe(hooks: Observability): Observation {
  const checked = parseObservability(hooks);
  const isTimed = checked.log !== undefined || checked.metric !== undefined || checked.span !== undefined;
  return {
    hooks: checked,
    startTimer: isTimed ? startTimer : undefined,
    beginSpan: createBeginSpan(),
    report: reportExchange,
  };
}

const startTimer: Stage = (exchange) => {
  exchange.startedMs = exchange.state.runtime.clock.monotonicMs();
  return undefined;
};

function createBeginSpan(): Stage {
  const channel = channelOf('framework.request');
  return (exchange) => {
    const { observability } = exchange.state.runtime;
    if (observability && (observability.span || channel.hasSubscribers)) {
      exchange.state.span = startRequestSpan(observability, exchange.state);
    }
    return undefined;
  };
}

const reportExchange: Observe = (exchange, { status }, bytes) => {
  const { state } = exchange;
  const { observability, clock } = state.runtime;
  if (!observability) return;
  // A request without a route also has a span.
  const span = state.span ?? (state.route === null ? startRequestSpan(observability, state) : undefined);
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
