import { FrameworkError, type LambdaContext, type TriggerKind } from '@sallyport/core';
import { closeStream, type OutgoingResponse } from '@sallyport/core/pipeline';
import { INTERNAL_ERROR, toFrameworkError } from '../error-body.js';
import type { Exchange } from '../exchange.js';
import type { OpenedStream } from '../http-surface.js';
import { STREAM_ACCESS, type StreamingApp } from '../surface-access.js';
import { functionUrlMetadata, gatewayRestMetadata, type Metadata } from './metadata.js';
import { awsLambdaGlobal, MAX_METADATA_BYTES, openBody, type ResponseStream } from './response-stream.js';
import { StreamWriter } from './writer.js';

/** What the function exports: the runtime's own kind of handler on Lambda, `(event, context)` elsewhere. */
export type StreamingHandler = (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown>;

interface StreamingDoor {
  readonly kind: TriggerKind;
  readonly metadata: (response: OutgoingResponse) => Metadata;
}

const FUNCTION_URL: StreamingDoor = { kind: 'function-url', metadata: functionUrlMetadata };
const GATEWAY_REST: StreamingDoor = { kind: 'gateway-v1', metadata: gatewayRestMetadata };

/**
 * A handler whose answers leave as they are made, for a function URL with `InvokeMode: RESPONSE_STREAM`. Events of other
 * kinds are answered by `handleLambda`, as JSON.
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

function createStreamingHandler(app: StreamingApp, door: StreamingDoor): StreamingHandler {
  const runtime = awsLambdaGlobal();
  if (!runtime) return (event, lambdaContext) => app.handleLambda(event, lambdaContext);
  return runtime.streamifyResponse((event, stream, context) =>
    streamEvent(app, door, event, stream, context as LambdaContext),
  ) as StreamingHandler;
}

async function streamEvent(
  app: StreamingApp,
  door: StreamingDoor,
  event: unknown,
  stream: ResponseStream,
  lambdaContext: LambdaContext,
): Promise<void> {
  const { http, detect } = app[STREAM_ACCESS];
  if (detect(event, lambdaContext) !== door.kind) {
    const result = await app.handleLambda(event, lambdaContext);
    const writer = new StreamWriter(stream, () => {});
    await writer.write(Buffer.from(JSON.stringify(result ?? null)));
    return writer.finish();
  }
  const opened = http.serveStream(door.kind, event, lambdaContext);
  const { response, metadata } = await checkMetadata(door, opened, await opened.response);
  await writeResponse(opened.exchange, response, openBody(stream, metadata));
  await opened.exchange.state.settleDeliveries();
}

/** The metadata has a bound of the service's; an answer whose headers are past it is a failure of ours. */
async function checkMetadata(door: StreamingDoor, opened: OpenedStream, response: OutgoingResponse) {
  const metadata = door.metadata(response);
  if (Buffer.byteLength(JSON.stringify(metadata)) < MAX_METADATA_BYTES) return { response, metadata };
  if (response.bodyStream) void closeStream(response.bodyStream);
  const failed = await opened.fail(INTERNAL_ERROR);
  return { response: failed, metadata: door.metadata(failed) };
}

async function writeResponse(exchange: Exchange, response: OutgoingResponse, stream: ResponseStream): Promise<void> {
  const { state } = exchange;
  const writer = new StreamWriter(stream, () => state.abort(new FrameworkError('app.timeout', 'client is gone')));
  // Metadata leaves with the first write, so an empty answer writes nothing rather than not at all.
  await writer.write(response.body);
  if (response.bodyStream) {
    const failure = await pump(response.bodyStream, writer, state.signal);
    if (failure !== undefined) return breakOff(exchange, writer, failure.error);
  }
  await writer.finish();
}

/** Moves chunks until the stream ends, its reader is gone or the signal aborts; never reads ahead of the reader. */
async function pump(
  body: NonNullable<OutgoingResponse['bodyStream']>,
  writer: StreamWriter,
  signal: AbortSignal,
): Promise<{ readonly error: unknown } | undefined> {
  const iterator = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  const race = raceWith(signal);
  try {
    for (;;) {
      const next = iterator.next();
      const result = await race(next);
      if (result === 'aborted' || writer.gone) {
        // An iterator that is still busy with `next` runs its `return` afterwards: nobody waits for that.
        next.catch(() => {});
        void Promise.resolve(iterator.return?.()).catch(() => {});
        return { error: signal.reason };
      }
      if (result.done) return undefined;
      await writer.write(result.value);
    }
  } catch (error) {
    return { error };
  }
}

/** Races one promise after another with a signal, through one listener however many they are. */
function raceWith(signal: AbortSignal): <T>(work: Promise<T>) => Promise<T | 'aborted'> {
  let stop: (() => void) | undefined;
  signal.addEventListener('abort', () => stop?.(), { once: true });
  return (work) =>
    new Promise((resolve, reject) => {
      stop = () => resolve('aborted');
      if (signal.aborted) stop();
      work.then(resolve, reject);
    });
}

/** Destroys the stream: what has been sent must never look complete. Only the code is told. */
function breakOff({ ctx }: Exchange, writer: StreamWriter, error: unknown): Promise<void> {
  const { code } = toFrameworkError(error);
  ctx.log.error('response stream broke off', { event: 'http.stream_failed', error_code: code });
  return writer.destroy(new FrameworkError(code));
}
