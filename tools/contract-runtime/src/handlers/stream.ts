import type { JsonObject } from '@sallyport/contract';
import { FrameworkError, type ResponseInput } from '@sallyport/core';

/** The answer of the handler `stream`: chunks that arrive one at a time, and a failure after some of them. */
export async function streamed(parameters: JsonObject): Promise<ResponseInput> {
  const { sse, status = 200, headers } = parameters;
  if (sse !== undefined) {
    const { sseEventStream } = await import('@sallyport/http');
    return sseEventStream(sse as object[]);
  }
  return {
    status: Number(status),
    headers: (headers ?? { 'content-type': 'text/plain; charset=utf-8' }) as Record<string, string>,
    bodyStream: chunks(parameters),
  };
}

async function* chunks(parameters: JsonObject): AsyncGenerator<Uint8Array> {
  const list = (parameters.chunks ?? []) as (string | { base64: string })[];
  const { fail_after = Number.POSITIVE_INFINITY, hang_after, code } = parameters;
  for (const [index, chunk] of list.entries()) {
    if (index === hang_after) await new Promise(() => {});
    if (index === fail_after) break;
    yield typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.base64, 'base64');
  }
  if (Number(hang_after) >= list.length) await new Promise(() => {});
  if (Number(fail_after) > list.length) return;
  throw code === undefined ? new Error('stream failure') : new FrameworkError(String(code));
}
