import { assertKnownOptions, type Clock, completeClock, createMap, invalidOption } from '@sallyport/core';
import { OutgoingResponse } from '@sallyport/core/pipeline';
import type { Source } from './internal/pull.js';
import { SseIterator } from './internal/sse-iterator.js';
import { encodeSseEvent, type SseEvent } from './sse-event.js';

export interface SseStreamOptions {
  /** A comment is sent after so many milliseconds without an event, so that nothing on the way closes the connection. */
  readonly heartbeatMs?: number;
  /** Ends the stream; `ctx.signal` ends it at the deadline and when the client is gone. */
  readonly signal?: AbortSignal;
  /** Times the heartbeat. Default: the machine's clock. */
  readonly clock?: Clock;
}

/**
 * Server-sent events that are all there already, as one text.
 *
 * @throws FrameworkError `app.internal` for an event that the format cannot carry
 */
export function sse(status: number, events: Iterable<SseEvent>): OutgoingResponse {
  let body = '';
  for (const event of events) body += encodeSseEvent(event);
  return new OutgoingResponse(status, sseHeaders(), body);
}

/**
 * Server-sent events as they come: status 200, one event a chunk, none asked for before the last one is taken. When the
 * reader leaves or the signal aborts, the source's `return()` runs and no timer is left.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a bad heartbeat
 * @example app.get('/ticks', (ctx) => sseEventStream(ticks(), { heartbeatMs: 15_000, signal: ctx.signal }));
 */
export function sseEventStream(events: Source<SseEvent>, options: SseStreamOptions = {}): OutgoingResponse {
  assertKnownOptions(options, ['heartbeatMs', 'signal', 'clock']);
  const { heartbeatMs, signal, clock } = options;
  if (heartbeatMs !== undefined && !(Number.isFinite(heartbeatMs) && heartbeatMs > 0)) {
    throw invalidOption('heartbeatMs', 'a positive number of milliseconds');
  }
  const response = new OutgoingResponse(200, sseHeaders(), '');
  response.bodyStream = {
    [Symbol.asyncIterator]: () => new SseIterator(events, { heartbeatMs, signal, clock: completeClock(clock) }),
  };
  return response;
}

/** WHATWG HTML section 9.2. */
function sseHeaders(): Record<string, string[]> {
  const headers = createMap<string[]>();
  headers['content-type'] = ['text/event-stream'];
  headers['cache-control'] = ['no-cache'];
  return headers;
}
