import { headersOf } from '../spans/context.js';
import { errorType, startClientSpan } from '../spans/internal/client-span.js';

/** The part of a context that is used; every context has it. */
export interface FetchContext {
  /** Aborts at the deadline, and when the client disconnects. */
  readonly signal: AbortSignal;
}

/**
 * `fetch` in a client span, with the headers of the trace and the signal of the invocation. The span has method, host and status, never path
 * or query.
 *
 * @throws what `fetch` throws; the signal's reason at the deadline of the invocation
 * @example const answer = await tracedFetch(ctx, 'https://prices.example/today');
 */
export async function tracedFetch(ctx: FetchContext, url: string | URL, init: RequestInit = {}): Promise<Response> {
  const { hostname, port, protocol } = new URL(url);
  const method = (init.method ?? 'GET').toUpperCase();
  const signal = init.signal ? AbortSignal.any([ctx.signal, init.signal]) : ctx.signal;
  const span = startClientSpan(method, {
    'http.request.method': method,
    'url.scheme': protocol.slice(0, -1),
    'server.address': hostname,
    ...(port !== '' && { 'server.port': Number(port) }),
  });
  if (!span) return fetch(url, { ...init, signal });
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(headersOf(span))) if (!headers.has(name)) headers.set(name, value);
  try {
    const response = await span.run(() => fetch(url, { ...init, headers, signal }));
    span.set({ 'http.response.status_code': response.status });
    if (response.status >= 400) span.fail(String(response.status));
    span.end();
    return response;
  } catch (error) {
    span.fail(errorType(error));
    throw error;
  }
}
