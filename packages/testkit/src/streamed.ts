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
    ): { readonly response: MaybePromise<OutgoingResponse> };
  };
  readonly detect: (event: unknown, lambdaContext?: LambdaContext) => TriggerKind;
}

/** What a client of a streaming front door saw. */
export interface StreamedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly cookies: readonly string[];
  readonly chunks: readonly Uint8Array[];
  /** All chunks as text. */
  readonly body: string;
  /** Code of the error that broke the stream off after it had begun; `''` for none. */
  readonly streamErrorCode: string;
}

/**
 * Reads an answer to its end, one chunk at a time, as a streaming front door does.
 *
 * @throws TypeError for an app that is no container
 */
export async function drain(app: object, event: unknown, lambdaContext: LambdaContext): Promise<StreamedAnswer> {
  const access = (app as { readonly [STREAM_ACCESS]?: StreamAccess })[STREAM_ACCESS];
  if (!access) throw new TypeError('only a container can stream');
  const { http, detect } = access;
  const response = await http.serveStream(detect(event, lambdaContext), event, lambdaContext).response;
  const chunks: Uint8Array[] = response.body.length > 0 ? [response.body] : [];
  let streamErrorCode = '';
  try {
    if (response.bodyStream) for await (const chunk of response.bodyStream) chunks.push(chunk);
  } catch (error) {
    streamErrorCode = isFrameworkError(error) ? error.code : 'app.internal';
  }
  const { status, headers, cookies } = response;
  return { status, headers, cookies, chunks, body: Buffer.concat(chunks).toString(), streamErrorCode };
}
