import type { IncomingMessage } from 'node:http';
import { LAMBDA_MAX_ANSWER_BYTES } from '@sallyport/core/internal';
import type { FunctionError } from './invoker.js';

/** A response of the function: whole, or the beginning of a stream. */
export type Reply =
  | { readonly kind: 'whole'; readonly text: string }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'stream'; readonly contentType: string; readonly body: IncomingMessage };

/** Reads the response of an event. */
export async function readReply(request: IncomingMessage): Promise<Reply> {
  if (request.headers['lambda-runtime-function-response-mode'] === 'streaming') {
    const contentType = request.headers['content-type'] ?? 'application/octet-stream';
    return { kind: 'stream', contentType, body: request };
  }
  const { text, isTooLarge } = await readBody(request);
  return isTooLarge ? { kind: 'too-large' } : { kind: 'whole', text };
}

/** Reads the error of an event or of the init phase. */
export async function readError(request: IncomingMessage): Promise<FunctionError> {
  return toFunctionError(await readBody(request));
}

interface Body {
  readonly text: string;
  readonly isTooLarge: boolean;
}

/** Reads a body to its end, but keeps only as many bytes as Lambda accepts. */
async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= LAMBDA_MAX_ANSWER_BYTES) chunks.push(chunk);
    }
  } catch {
    // The process ended before the end of the body; the process reports that.
  }
  return { text: Buffer.concat(chunks).toString('utf8'), isTooLarge: bytes > LAMBDA_MAX_ANSWER_BYTES };
}

function toFunctionError({ text }: Body): FunctionError {
  try {
    const { errorType, errorMessage, trace } = JSON.parse(text) as Partial<FunctionError>;
    return { errorType: errorType ?? 'Error', errorMessage: errorMessage ?? '', ...(trace ? { trace } : {}) };
  } catch {
    return { errorType: 'Runtime.Unknown', errorMessage: text.slice(0, 1000) };
  }
}
