import { isFrameworkError, type LambdaContext, type MaybePromise, type TriggerKind } from '@sallyport/core';
import type { OutgoingResponse } from '@sallyport/core/pipeline';

/** Where containers keep what streaming front doors need of them; shared by name with `@sallyport/http`. */
const STREAM_ACCESS = Symbol.for('sallyport.stream-access');

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

/** What a client of a streaming front door saw. */
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
  /** What is written, as it is written. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Opens an answer as a streaming front door does: it can be read up to the invocation's deadline.
 *
 * @throws TypeError for an app that is not a container
 */
export async function openStream(app: object, event: unknown, lambdaContext: LambdaContext): Promise<OpenStream> {
  const access = (app as { readonly [STREAM_ACCESS]?: StreamAccess })[STREAM_ACCESS];
  if (!access) throw new TypeError('only a container can stream');
  const { http, detect } = access;
  const opened = http.serveStream(detect(event, lambdaContext), event, lambdaContext);
  const response = await opened.response;
  return { response, chunks: readUntilAbort(response, opened.exchange.state) };
}

/** Reads an answer to its end, one chunk at a time. */
export async function drain(app: object, event: unknown, lambdaContext: LambdaContext): Promise<StreamedAnswer> {
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

/** A source that hangs is asked to end and not waited for. */
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
    // A reader that leaves early ends the source, as does the deadline.
    if (!over) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
