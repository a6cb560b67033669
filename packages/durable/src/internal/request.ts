import type { Context } from '@sallyport/core';
import { closeStream, isOutgoingResponse, isPromise, stateOf } from '@sallyport/core/internal';
import { streamingRefused } from '../errors.js';
import type { ExecutionRun } from './execution.js';
import { hooksOf } from './records.js';
import { isRequestContext, isStreamingRoute } from './scope.js';

const KEPT_REQUEST =
  'framework: AWS keeps the request of a durable execution, with its headers, until the retention has passed: answer 202 and call startExecution with an event without credentials';

/** The object that identifies a request or record: all contexts derived from one request have the same state. */
export function identityOf(context: object): object {
  return isRequestContext(context) ? stateOf(context) : context;
}

/** The record of a request names the execution, and has the duration from its start. Warns once for each container. */
export function nameExecution(run: ExecutionRun, context: object): void {
  if (!isRequestContext(context)) return;
  if (run.isFirst) run.warnOnce(KEPT_REQUEST);
  const state = stateOf(context);
  const { runtime } = state;
  if (!runtime.observability || run.named.has(state)) return;
  run.named.add(state);
  const durationMs = () => runtime.clock.now().getTime() - run.startedAt.getTime();
  const observability = hooksOf(runtime.observability, { execution: run.name, durationMs });
  Object.defineProperty(state, 'runtime', { value: { ...runtime, observability } });
}

/**
 * Calls the middlewares and the handler of a request. The service stores the answer as text.
 *
 * @throws DurableError `durable.streaming_refused`
 */
export function withoutStreams<R>(run: (context: Context) => R, context: Context): R {
  if (isStreamingRoute(context)) throw streamingRefused('a route with the option streaming');
  const result = run(context);
  return isPromise(result) ? (result.then(assertNoStream) as R) : assertNoStream(result);
}

function assertNoStream<R>(response: R): R {
  const stream = isOutgoingResponse(response) ? response.bodyStream : null;
  if (!stream) return response;
  void closeStream(stream);
  throw streamingRefused('a streamed answer');
}
