import { Writable } from 'node:stream';
import { isFrameworkError, type LambdaContext, type MaybePromise, type TriggerKind } from '@sallyport/core';
import type { OutgoingResponse } from '@sallyport/core/internal';

/** Key under which containers store the data that streaming front doors need; shared by name with `@sallyport/http`. */
const STREAM_ACCESS = Symbol.for('sallyport.http.stream-access/1');

/** A container as a streaming front door sees it. */
interface StreamAccess {
  readonly http: {
    serveStream(
      kind: TriggerKind,
      event: unknown,
      lambdaContext: LambdaContext | undefined,
    ): {
      readonly response: MaybePromise<OutgoingResponse>;
      readonly exchange: { readonly state: { readonly signal: AbortSignal } };
    };
  };
  readonly detect: (event: unknown, lambdaContext?: LambdaContext) => TriggerKind;
}

/** The response that the client of a streaming front door received. */
export interface StreamedAnswer {
  /** HTTP status. */
  readonly status: number;
  /** Headers by their lower-case names, without `set-cookie`. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Values of `set-cookie`, one for each cookie. */
  readonly cookies: readonly string[];
  /** The body in the pieces in which it was written. */
  readonly chunks: readonly Uint8Array[];
  /** All chunks as text. */
  readonly body: string;
  /** Code of the error that the streaming handler rejects with after the answer has begun; `''` for none. */
  readonly streamErrorCode: string;
}

/** An answer of a streaming front door that is being written. */
export interface OpenStream {
  readonly response: OutgoingResponse;
  /** Pieces of the body while it is being written. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Opens an answer as a streaming front door does: it can be read up to the invocation's deadline.
 *
 * @throws TypeError for an app that is not a container
 */
export async function openStream(app: object, event: unknown, lambdaContext: LambdaContext): Promise<OpenStream> {
  const access = (app as { readonly [STREAM_ACCESS]?: StreamAccess })[STREAM_ACCESS];
  if (!access)
    throw new TypeError('only a container can stream: pass the result of createApp or new SecureApp, not its handler');
  const { http, detect } = access;
  const opened = http.serveStream(detect(event, lambdaContext), event, lambdaContext);
  const response = await opened.response;
  return { response, chunks: readUntilAbort(response, opened.exchange.state) };
}

/** An exported handler: a custom handler, or the result of one of the streaming handlers of `@sallyport/http`. */
export type ExportedHandler = (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown>;

/**
 * Reads an answer to its end, one chunk at a time.
 *
 * @throws TypeError for an app that is not a container, and for a handler that returns an answer without a stream
 */
export function drain(app: object, event: unknown, lambdaContext: LambdaContext): Promise<StreamedAnswer> {
  return typeof app === 'function' ? drainHandler(app, event, lambdaContext) : drainApp(app, event, lambdaContext);
}

async function drainApp(app: object, event: unknown, lambdaContext: LambdaContext): Promise<StreamedAnswer> {
  const { response, chunks: body } = await openStream(app, event, lambdaContext);
  const chunks: Uint8Array[] = [];
  let streamErrorCode = '';
  try {
    for await (const chunk of body) chunks.push(chunk);
  } catch (error) {
    streamErrorCode = isFrameworkError(error) ? error.code : 'app.internal';
  }
  const { status, headers, cookies } = response;
  return { status, headers, cookies, chunks, body: Buffer.concat(chunks).toString(), streamErrorCode };
}

/** Keys under which `@sallyport/http` stores a streaming handler's stream, and with which AWS's runtime marks such a handler. */
const STREAMS = Symbol.for('sallyport.http.streaming-handler/1');
const MARKED = Symbol.for('aws.lambda.runtime.handler.streaming');

type Streams = (event: unknown, stream: Writable, lambdaContext: LambdaContext) => Promise<unknown>;

function streamsOf(handler: object): Streams {
  const { [STREAMS]: streams, [MARKED]: marked } = handler as { [STREAMS]?: Streams; [MARKED]?: unknown };
  if (streams) return streams;
  if (marked !== undefined) return handler as Streams;
  throw new TypeError(
    'the handler does not stream: export the result of createLambdaFunctionURLStreamingHandler(app) or createGatewayRestStreamingHandler(app)',
  );
}

/** Runs an exported handler as the runtime does: with a stream that begins with status and headers as JSON and eight NUL. */
async function drainHandler(handler: object, event: unknown, lambdaContext: LambdaContext): Promise<StreamedAnswer> {
  const streams = streamsOf(handler);
  const stream = new ResponseStream();
  let streamErrorCode = '';
  try {
    await streams(event, stream, lambdaContext);
  } catch (error) {
    if (stream.written.length === 0) throw error;
    streamErrorCode = isFrameworkError(error) ? error.code : 'app.internal';
  }
  const { metadata, chunks } = readStream(stream.written);
  const { statusCode = 200, headers = {}, multiValueHeaders = {}, cookies = [] } = metadata;
  const { 'set-cookie': listed = [], ...others } = { ...toLists(headers), ...multiValueHeaders };
  const body = Buffer.concat(chunks).toString();
  return { status: statusCode, headers: others, cookies: [...cookies, ...listed], chunks, body, streamErrorCode };
}

/** The runtime's stream, as far as handlers use it. */
class ResponseStream extends Writable {
  readonly written: Buffer[] = [];
  /** Set by `awslambda.HttpResponseStream.from`, if the handler calls it. */
  _onBeforeFirstWrite?: (write: (chunk: string | Uint8Array) => void) => void;

  /** The media type marks the prelude; here the prelude is recognized by its form. */
  setContentType(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (this.written.length === 0) this._onBeforeFirstWrite?.((first) => this.written.push(Buffer.from(first)));
    this.written.push(chunk);
    done();
  }
}

interface Metadata {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly cookies?: readonly string[];
}

const DELIMITER = Buffer.alloc(8);

/** @throws TypeError when the handler wrote no status and headers: the handler does not serve the front door of the event */
function readStream(written: readonly Buffer[]): { metadata: Metadata; chunks: readonly Buffer[] } {
  const all = Buffer.concat(written);
  const end = all.indexOf(DELIMITER);
  if (end < 0) throw new TypeError('the handler did not stream: build an event of the front door that it serves');
  const chunks: Buffer[] = [];
  let skip = end + DELIMITER.length;
  for (const chunk of written) {
    const rest = chunk.subarray(Math.min(skip, chunk.length));
    skip -= chunk.length - rest.length;
    if (rest.length > 0) chunks.push(rest);
  }
  return { metadata: JSON.parse(all.subarray(0, end).toString()) as Metadata, chunks };
}

function toLists(headers: Readonly<Record<string, string>>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
}

/** Stops a hanging source without waiting for it. */
async function* readUntilAbort(
  { body, bodyStream }: OutgoingResponse,
  state: { readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  if (body.length > 0) yield body;
  if (!bodyStream) return;
  // Watched only while something is read: an answer that is complete has no deadline any more.
  const { signal } = state;
  const iterator =
    Symbol.asyncIterator in bodyStream ? bodyStream[Symbol.asyncIterator]() : bodyStream[Symbol.iterator]();
  const aborted = new Promise<never>((_resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  let over = false;
  try {
    while (!over) {
      const next = await Promise.race([iterator.next(), aborted]);
      over = next.done === true;
      if (!next.done) yield next.value;
    }
  } finally {
    // A reader that stops early stops the source, as does the deadline.
    if (!over) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
