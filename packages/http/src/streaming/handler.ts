import { FrameworkError, type LambdaContext, type TriggerKind } from '@sallyport/core';
import {
  type ContextState,
  closeStream,
  internalError,
  leftOut,
  type OutgoingResponse,
  otherCopy,
} from '@sallyport/core/internal';
import { gatewayRestMetadata } from '../doors/internal/gateway-v1.js';
import { functionUrlMetadata } from '../doors/internal/gateway-v2.js';
import { canonicalError, toFrameworkError } from '../pipeline/error-body.js';
import { ABORTED, raceWithAbort } from '../pipeline/internal/body-stream.js';
import { type Exchange, reportFailure, STREAM_FAILED } from '../pipeline/run.js';
import { type OpenedStream, STREAM_ACCESS, type StreamAccess, type StreamingApp } from '../surface/http-surface.js';

/** The exported handler: in the form of the runtime on Lambda, `(event, context)` elsewhere. */
export type StreamingHandler = (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown>;

interface StreamingDoor {
  readonly kind: TriggerKind;
  readonly metadata: (response: OutgoingResponse) => Record<string, unknown>;
}

const FUNCTION_URL: StreamingDoor = { kind: 'function-url', metadata: functionUrlMetadata };
const GATEWAY_REST: StreamingDoor = { kind: 'gateway-v1', metadata: gatewayRestMetadata };

/**
 * Creates a Lambda handler that sends responses in chunks while they are produced, for a function URL with `InvokeMode: RESPONSE_STREAM`.
 * Events of other kinds are served by `handleLambda`.
 *
 * A failure before the first byte is sent as an error response. After it (the stream throws, the deadline is reached, a limit is
 * exceeded, the connection is lost) the handler rejects with a `FrameworkError` that has only a code and its default message, and Lambda
 * reports the error. Streams end 100 ms before the deadline, so that there is time for the report. A client may not be able to distinguish
 * a truncated response from a complete response: if that matters, send an end mark.
 *
 * @example export const handler = createLambdaFunctionURLStreamingHandler(app);
 */
export function createLambdaFunctionURLStreamingHandler(app: StreamingApp): StreamingHandler {
  return createStreamingHandler(app, FUNCTION_URL);
}

/** The same for an API Gateway REST integration with `responseTransferMode: STREAM`. */
export function createGatewayRestStreamingHandler(app: StreamingApp): StreamingHandler {
  return createStreamingHandler(app, GATEWAY_REST);
}

/** The key under which a streaming handler stores its streams, for tests without the runtime's global; shared by name with the test kit. */
const STREAMS = Symbol.for('sallyport.http.streaming-handler/1');

/** The key of the kind of events whose responses a handler streams; shared by name with `@sallyport/constructs`. */
const STREAMED_KIND = Symbol.for('sallyport.http.streamed-kind/1');

/** The key of a container's description for tools on a developer's machine; shared by name with `@sallyport/dispatch`. */
const INSPECT = Symbol.for('framework.inspect');

function createStreamingHandler(app: StreamingApp, door: StreamingDoor): StreamingHandler {
  const access = (app as { readonly [STREAM_ACCESS]?: StreamAccess })[STREAM_ACCESS];
  if (!access) throw otherCopy('@sallyport/http', 'the container');
  if (!access.http.serves.includes(door.kind))
    throw leftOut(`the front door ${door.kind}`, `sallyport-no-${door.kind}`);
  const streams = (event: unknown, stream: ResponseStream, context: unknown) =>
    streamEvent(app, access, door, event, stream, context as LambdaContext);
  const handler = (awsLambdaGlobal()?.streamifyResponse(streams) ??
    ((event, lambdaContext) => app.handleLambda(event, lambdaContext))) as StreamingHandler;
  const { [INSPECT]: value } = app.handleLambda as { readonly [INSPECT]?: unknown };
  return Object.defineProperty(Object.assign(handler, { [STREAMS]: streams, [STREAMED_KIND]: door.kind }), INSPECT, {
    value,
  });
}

async function streamEvent(
  app: StreamingApp,
  { http, detect }: StreamAccess,
  door: StreamingDoor,
  event: unknown,
  stream: ResponseStream,
  lambdaContext: LambdaContext,
): Promise<void> {
  if (detect(event, lambdaContext) !== door.kind) {
    // Executions are rejected: the service stores their answer as text.
    const result = await app.handleLambda(event, { ...lambdaContext, 'sallyport.streamed': true } as LambdaContext);
    const writer = new StreamWriter(stream, () => {});
    await writer.write(Buffer.from(JSON.stringify(result ?? null)));
    return writer.finish();
  }
  const opened = http.serveStream(door.kind, event, lambdaContext);
  const stopTimer = abortBeforeDeadline(opened.exchange.state);
  try {
    const { response, metadata } = await checkMetadata(door, opened, await opened.response);
    await writeResponse(opened.exchange, response, openBody(stream, metadata));
  } catch (error) {
    throw toRejection(opened.exchange, error);
  } finally {
    stopTimer();
    await opened.exchange.state.settleDeliveries();
  }
}

/**
 * Milliseconds before the deadline at which a streamed answer ends. At the deadline Lambda kills the process, and before that the
 * rejection must have become error trailers, or the answer 408 must have been sent.
 */
const DEADLINE_MARGIN_MS = 100;

function abortBeforeDeadline(state: ContextState): () => void {
  const { remainingMs } = state;
  if (remainingMs <= DEADLINE_MARGIN_MS) return () => {};
  const timeout = () => state.abort(new FrameworkError('app.timeout'));
  return state.runtime.clock.after(remainingMs - DEADLINE_MARGIN_MS, timeout);
}

/** The service limits the size of the metadata. Headers that exceed it are a server error. */
async function checkMetadata(door: StreamingDoor, opened: OpenedStream, response: OutgoingResponse) {
  const metadata = door.metadata(response);
  if (Buffer.byteLength(JSON.stringify(metadata)) < MAX_METADATA_BYTES) return { response, metadata };
  if (response.bodyStream) void closeStream(response.bodyStream);
  const failed = await opened.fail(
    internalError(`status and headers of a streamed answer exceed ${MAX_METADATA_BYTES} bytes`),
  );
  return { response: failed, metadata: door.metadata(failed) };
}

const CLIENT_GONE = new FrameworkError('app.timeout', 'client is gone');

async function writeResponse(exchange: Exchange, response: OutgoingResponse, stream: ResponseStream): Promise<void> {
  const { state } = exchange;
  const writer = new StreamWriter(stream, () => state.abort(CLIENT_GONE));
  // Metadata is sent with the first write, so an empty answer writes an empty chunk.
  await writer.write(response.body);
  if (response.bodyStream) await pump(exchange, response.bodyStream, writer);
  await writer.finish();
  if (writer.gone) throw CLIENT_GONE;
}

/**
 * Writes chunks until the stream ends. Reads the next chunk only when the reader accepts more data.
 *
 * @throws the error of the stream; the signal's reason if it aborts first or the reader has disconnected
 */
async function pump(
  exchange: Exchange,
  body: NonNullable<OutgoingResponse['bodyStream']>,
  writer: StreamWriter,
): Promise<void> {
  const { signal } = exchange.state;
  const iterator = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  const race = raceWithAbort(signal);
  for (;;) {
    const next = await race(iterator.next());
    if (next !== ABORTED && next.done) return;
    if (next === ABORTED || (await race(writer.write(next.value))) === ABORTED || writer.gone) break;
  }
  exchange.cause = signal.aborted ? signal.reason : CLIENT_GONE;
  exchange.error = toFrameworkError(exchange.cause);
  // A source that is still in a call of `next` runs `return` after it; this is not awaited.
  void Promise.resolve(iterator.return?.()).catch(() => {});
  throw exchange.cause;
}

/**
 * The rejection of the handler after the first byte. The runtime client writes it into error trailers, so it has only the
 * default message of its code. The stream is not destroyed: that would stop the whole execution environment, because the
 * client would then have unhandled rejections.
 */
function toRejection(exchange: Exchange, cause: unknown): FrameworkError {
  reportFailure(exchange, cause, STREAM_FAILED);
  const { code } = canonicalError(toFrameworkError(cause));
  return new FrameworkError(code, undefined, { cause });
}

/**
 * The part of the Lambda runtime's `responseStream` that we use. It is the `ClientRequest` of Node with which the runtime
 * client posts the answer.
 */
export interface ResponseStream {
  write(chunk: Uint8Array | string): boolean;
  end(): void;
  on(event: 'drain' | 'close' | 'finish' | 'error', listener: (error?: Error) => void): unknown;
  off(event: 'drain' | 'close' | 'finish' | 'error', listener: (error?: Error) => void): unknown;
  readonly destroyed?: boolean;
  readonly writableFinished?: boolean;
  setContentType?(type: string): void;
}

/** The runtime's functions on the global object of a streaming function. */
export interface AwsLambdaGlobal {
  streamifyResponse<T>(handler: (event: unknown, stream: ResponseStream, context: unknown) => Promise<T>): unknown;
  readonly HttpResponseStream?: { from(stream: ResponseStream, metadata: Record<string, unknown>): ResponseStream };
}

/** The runtime's global, `undefined` outside a Lambda function. */
function awsLambdaGlobal(): AwsLambdaGlobal | undefined {
  const { awslambda } = globalThis as { awslambda?: AwsLambdaGlobal };
  return typeof awslambda?.streamifyResponse === 'function' ? awslambda : undefined;
}

/** The media type that marks a body that begins with metadata. */
const INTEGRATION_TYPE = 'application/vnd.awslambda.http-integration-response';
/** The service's limit for the metadata, in bytes. */
const MAX_METADATA_BYTES = 16 * 1024;
const DELIMITER = new Uint8Array(8);

/**
 * Writes the metadata and returns the stream of the body. Uses the runtime's function, if present, else writes the wire form:
 * JSON, eight NUL bytes, body.
 */
function openBody(stream: ResponseStream, metadata: Record<string, unknown>): ResponseStream {
  const from = awsLambdaGlobal()?.HttpResponseStream?.from;
  if (from) return from(stream, metadata);
  stream.setContentType?.(INTEGRATION_TYPE);
  stream.write(JSON.stringify(metadata));
  stream.write(DELIMITER);
  return stream;
}

/**
 * Writes to a response stream one chunk at a time, and detects that its reader has disconnected. It never destroys the stream,
 * because the runtime client writes error trailers to it.
 */
class StreamWriter {
  readonly #stream: ResponseStream;
  #gone = false;
  #finished = false;
  #wake: (() => void) | undefined;

  /** `onGone` runs once when the stream closes or fails before it was finished. */
  constructor(stream: ResponseStream, onGone: () => void) {
    this.#stream = stream;
    const leave = () => {
      if (this.#finished || this.#gone) return;
      this.#gone = true;
      onGone();
      this.#wake?.();
    };
    stream.on('drain', () => this.#wake?.());
    stream.on('finish', () => {
      this.#finished = true;
      this.#wake?.();
    });
    stream.on('error', leave);
    stream.on('close', leave);
  }

  get gone(): boolean {
    return this.#gone || (this.#stream.destroyed === true && !this.#finished);
  }

  /** Resolves when the stream accepts more data, or immediately when the reader has disconnected. */
  async write(chunk: Uint8Array): Promise<void> {
    if (this.gone || this.#stream.write(chunk)) return;
    await this.#nextChange();
  }

  /** Ends the stream, and waits until all data was written or the reader has disconnected. */
  async finish(): Promise<void> {
    if (this.gone) return;
    this.#stream.end();
    while (!this.#finished && !this.gone) await this.#nextChange();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }
}
