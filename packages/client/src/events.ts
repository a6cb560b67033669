import { type Client, readRejected } from './client.js';
import type { CallArguments, Operations } from './contract.js';
import { ClientError } from './errors.js';
import { readEvents } from './internal/event-lines.js';
import { jsonOrText } from './internal/json.js';
import { pause } from './internal/pause.js';
import type { RawInput } from './options.js';

/** One server-sent event: `data` has the type of its `event`. */
export type StreamEvent<O> = O extends { readonly events: infer E }
  ? { readonly [T in keyof E & string]: { readonly event: T; readonly data: E[T]; readonly id: string } }[keyof E &
      string]
  : { readonly event: string; readonly data: unknown; readonly id: string };

/** Failed connections in a row after which a stream ends. */
const MAX_FAILURES = 5;

/**
 * The server-sent events of an operation. A broken connection is opened again with `last-event-id`, after the server's `retry` and with
 * full jitter; the iteration ends when the service ends the stream, and throws after five failed connections in a row. `data` is parsed
 * as JSON, else it is a string. `timeoutMs` limits the wait for each connection.
 *
 * @throws ClientError as a call does; `client.rejected` with the service's error in `answer`
 * @example for await (const { data } of events(api, 'GET /ticks', { signal })) draw(data);
 */
export async function* events<C, K extends keyof Operations<C> & string>(
  api: Client<C>,
  operation: K,
  ...[input]: CallArguments<Operations<C>[K]>
): AsyncGenerator<StreamEvent<Operations<C>[K]>, void> {
  const request: RawInput = input ?? {};
  const state = { lastId: '', retryMs: 1000, ended: false };
  for (let failures = 0; ; ) {
    try {
      const response = await api.raw(operation, {
        ...request,
        headers: {
          accept: 'text/event-stream',
          'last-event-id': state.lastId || undefined,
          ...request.headers,
        },
      });
      // A client stops after 204 (WHATWG HTML section 9.2.3).
      if (response.status === 204 || response.body === null) return;
      if (!response.ok)
        throw new ClientError('client.rejected', `${operation}: status ${response.status}`, {
          status: response.status,
          answer: await readRejected(operation, response),
        });
      for await (const { type, data, id } of readEvents(response.body, state)) {
        failures = 0;
        yield { event: type, data: jsonOrText(data), id } as StreamEvent<Operations<C>[K]>;
      }
      if (state.ended) return;
    } catch (error) {
      const isFinal =
        error instanceof ClientError && error.code !== 'client.network' && error.code !== 'client.timeout';
      if (request.signal?.aborted) throw new ClientError('client.aborted', `${operation}: aborted`, { cause: error });
      if (isFinal || failures >= MAX_FAILURES) throw error;
    }
    await pause(state.retryMs * Math.random() * 2 ** failures, request.signal);
    failures += 1;
  }
}
