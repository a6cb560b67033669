import {
  type BodyStream,
  isFrameworkError,
  type LambdaContext,
  type MaybePromise,
  type TriggerKind,
} from '@sallyport/core';
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

/**
 * Reads an answer to its end, one chunk at a time, as a streaming front door does: up to the invocation's deadline.
 *
 * @throws TypeError for an app that is not a container
 */
export async function drain(app: object, event: unknown, lambdaContext: LambdaContext): Promise<StreamedAnswer> {
  const access = (app as { readonly [STREAM_ACCESS]?: StreamAccess })[STREAM_ACCESS];
  if (!access) throw new TypeError('only a container can stream');
  const { http, detect } = access;
  const opened = http.serveStream(detect(event, lambdaContext), event, lambdaContext);
  const response = await opened.response;
  const chunks: Uint8Array[] = response.body.length > 0 ? [response.body] : [];
  let streamErrorCode = '';
  try {
    if (response.bodyStream) await readUntilAbort(response.bodyStream, opened.exchange.state.signal, chunks);
  } catch (error) {
    streamErrorCode = isFrameworkError(error) ? error.code : 'app.internal';
  }
  const { status, headers, cookies } = response;
  return { status, headers, cookies, chunks, body: Buffer.concat(chunks).toString(), streamErrorCode };
}

/** A source that hangs is asked to end and not waited for. */
async function readUntilAbort(stream: BodyStream, signal: AbortSignal, chunks: Uint8Array[]): Promise<void> {
  const iterator = Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator]();
  const aborted = new Promise<never>((_resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (next.done) return;
      chunks.push(next.value);
    }
  } catch (error) {
    if (signal.aborted) void Promise.resolve(iterator.return?.()).catch(() => {});
    throw error;
  }
}
