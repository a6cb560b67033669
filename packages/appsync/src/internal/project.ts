import { isUtf8 } from 'node:buffer';
import { decodeUtf8, FrameworkError } from '@sallyport/core';
import { closeStream, internalError, isJsonMediaType, type OutgoingResponse } from '@sallyport/core/pipeline';
import { type Exchange, INTERNAL_ERROR } from '@sallyport/http/pipeline';
import { codeOfStatus } from './error-object.js';

/** A payload, or what went wrong on the way to it. */
export type Projection = { readonly payload: unknown } | { readonly error: unknown };

/** Turns the pipeline's answer into what the resolver receives. A status below 400, headers and cookies are dropped. */
export function project({ error, cause }: Exchange, response: OutgoingResponse): Projection {
  // Anything but a FrameworkError becomes `internal error`, also a thrown `undefined`.
  if (error !== undefined) return { error: error === INTERNAL_ERROR ? cause : error };
  if (response.bodyStream) {
    void closeStream(response.bodyStream);
    return unsupported('streaming_body_unsupported');
  }
  const text = textOfBody(response);
  if (text === undefined) return unsupported('binary_body_unsupported');
  if (response.status >= 400) return { error: errorOfAnswer(response.status, text) };
  if (text === '') return { payload: null };
  if (!isJsonMediaType(response.headers['content-type']?.[0] ?? '')) return { payload: text };
  const parsed = parse(text);
  return parsed
    ? { payload: parsed.value }
    : { error: internalError('the answer has a JSON content type but is not JSON') };
}

function unsupported(reason: string): Projection {
  return { error: new FrameworkError('app.internal', 'unsupported appsync response', { details: { reason } }) };
}

/** The body as text; `undefined` for bytes. */
function textOfBody({ content, isBase64 }: OutgoingResponse): string | undefined {
  if (isBase64) return undefined;
  if (typeof content === 'string') return content;
  return isUtf8(content) ? decodeUtf8(content) : undefined;
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The error that an answer of status 400 or more stands for: its nested or flat body, else its status. */
function errorOfAnswer(status: number, text: string): FrameworkError {
  const body = fields(parse(text)?.value);
  const source = typeof fields(body.error).code === 'string' ? fields(body.error) : body;
  const code = typeof source.code === 'string' && source.code.trim() !== '' ? source.code : undefined;
  if (code === undefined) return new FrameworkError(codeOfStatus(status), undefined, { statusCode: status });
  const message = typeof source.message === 'string' ? source.message : undefined;
  return new FrameworkError(code, message, { statusCode: status, details: source.details });
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
