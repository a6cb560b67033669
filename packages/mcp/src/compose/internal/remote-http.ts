import type { MaybePromise } from '@sallyport/core';
import { fromJson, isObject } from '@sallyport/core/internal';
import type { JsonObject } from '../../protocol/types.js';
import { RemoteFailure, RemoteRpcError } from './remote-failure.js';
import { readEvents } from './text-stream.js';

/** The address of a remote server, and the limit of its responses. */
export interface RemotePlace {
  readonly url: string;
  /** The proxy's own headers. */
  readonly headers: () => MaybePromise<Readonly<Record<string, string>>>;
  /** Bytes of one response. */
  readonly maxBytes: number;
}

/** One message to a remote server. */
export interface RemoteMessage {
  /** The message; without `id` it has no result. */
  readonly message: JsonObject;
  /** Headers of the protocol. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Receives notifications that arrive before the result. */
  readonly onNotification?: (notification: JsonObject) => void;
  /** Called with the id of a request of the remote server: a question, which a proxy cannot answer. */
  readonly onQuestion?: (id: unknown) => MaybePromise<void>;
}

/** The answer of a remote server. */
export interface RemoteAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The result; `undefined` for a notification. */
  readonly result: JsonObject | undefined;
}

/**
 * Sends one message by POST. Redirects are not followed, because they would receive the headers.
 *
 * @throws RemoteFailure, RemoteRpcError
 */
export async function postMessage(place: RemotePlace, sent: RemoteMessage): Promise<RemoteAnswer> {
  const { message, headers, signal } = sent;
  const own = await place.headers();
  let response: Response;
  try {
    response = await fetch(place.url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        ...own,
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(message),
      signal,
    });
  } catch (cause) {
    throw toFailure(cause, signal);
  }
  try {
    return { status: response.status, headers: response.headers, result: await resultOf(response, place, sent) };
  } catch (cause) {
    if (cause instanceof RemoteFailure || cause instanceof RemoteRpcError) throw cause;
    throw toFailure(cause, signal);
  } finally {
    // The rest of a stream is not read.
    if (!response.bodyUsed || response.body?.locked === false) await response.body?.cancel().catch(() => {});
  }
}

/** The error of a request without an answer: the time limit, the reason of another abort, or a failure of the network. */
function toFailure(cause: unknown, { aborted, reason }: AbortSignal): unknown {
  if (!aborted) return new RemoteFailure('unavailable', { cause });
  return (reason as { name?: unknown } | undefined)?.name === 'TimeoutError'
    ? new RemoteFailure('timeout', { cause })
    : reason;
}

async function resultOf(response: Response, place: RemotePlace, sent: RemoteMessage): Promise<JsonObject | undefined> {
  const { status } = response;
  const { id } = sent.message;
  if (status >= 500) throw new RemoteFailure('unavailable', { status });
  if (status === 401 || status === 403) throw new RemoteFailure('refused', { status });
  if (status >= 300 && status < 400) throw new RemoteFailure('invalid', { status });
  // Notifications, and answers to questions, have no result.
  if (id === undefined || sent.message.method === undefined) return undefined;
  const type = response.headers.get('content-type') ?? '';
  const body = limited(response.body, place.maxBytes);
  if (/^\s*text\/event-stream/i.test(type)) return readResult(body, sent);
  if (!/^\s*application\/json/i.test(type)) throw new RemoteFailure('invalid', { status });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return resultIn(fromJson(Buffer.concat(chunks).toString('utf8')), id, status);
}

/** The result in a stream. Messages before it are notifications, and questions. */
async function readResult(body: AsyncIterable<Uint8Array>, sent: RemoteMessage): Promise<JsonObject> {
  for await (const { data } of readEvents(body)) {
    const message = fromJson(data);
    if (!isObject(message)) continue;
    if (typeof message.method !== 'string') return resultIn(message, sent.message.id, 200);
    if (message.id === undefined) sent.onNotification?.(message as JsonObject);
    else await sent.onQuestion?.(message.id);
  }
  throw new RemoteFailure('invalid');
}

/** @throws RemoteRpcError for an error, RemoteFailure for another value or another id */
function resultIn(message: unknown, id: unknown, status: number): JsonObject {
  if (isObject(message) && isObject(message.error)) {
    const { code, message: text } = message.error;
    throw new RemoteRpcError(Number(code), typeof text === 'string' ? text : '');
  }
  if (!isObject(message) || message.id !== id || !isObject(message.result))
    throw new RemoteFailure('invalid', { status });
  return message.result as JsonObject;
}

/** The chunks of a body, up to a number of bytes. */
async function* limited(body: ReadableStream<Uint8Array> | null, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new RemoteFailure('too_large');
    yield chunk;
  }
}
