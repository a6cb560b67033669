import { APP_CODES, decodeUtf8, FrameworkError, isFrameworkError } from '@sallyport/core';
import {
  type ContextState,
  closeStream,
  fromJson,
  internalError,
  isJsonMediaType,
  membersOf,
  type OutgoingResponse,
  toClientError,
} from '@sallyport/core/internal';
import { canonicalError, type Exchange, INTERNAL_ERROR } from '@sallyport/http/internal';
import type { AppSyncErrorObject } from '../resolver/event-types.js';

/** A payload, or the error of its conversion. */
export type Projection = { readonly payload: unknown } | { readonly error: unknown };

/** Converts the pipeline's answer to the resolver's result. A status below 400, headers and cookies are dropped. */
export function project({ error, cause }: Exchange, response: OutgoingResponse): Projection {
  // Any error except a FrameworkError becomes `internal error`, including a thrown `undefined`.
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
  const payload = fromJson(text);
  return payload !== undefined
    ? { payload }
    : { error: internalError('the answer has a JSON content type but is not JSON') };
}

function unsupported(reason: string): Projection {
  return { error: new FrameworkError('app.internal', 'unsupported appsync response', { details: { reason } }) };
}

/** The body as text; `undefined` for bytes. */
function textOfBody({ content, isBase64 }: OutgoingResponse): string | undefined {
  if (isBase64) return undefined;
  if (typeof content === 'string') return content;
  // Not imported: most functions never answer bytes, but all would pay for the import.
  return process.getBuiltinModule('node:buffer').isUtf8(content) ? decodeUtf8(content) : undefined;
}

/** The error in an answer with a status of 400 or more: its nested or flat body, else its status. */
function errorOfAnswer(status: number, text: string): FrameworkError {
  const body = membersOf(fromJson(text));
  const source = typeof membersOf(body.error).code === 'string' ? membersOf(body.error) : body;
  const code = typeof source.code === 'string' && source.code.trim() !== '' ? source.code : undefined;
  if (code === undefined) return new FrameworkError(codeOfStatus(status), undefined, { statusCode: status });
  const message = typeof source.message === 'string' ? source.message : undefined;
  return new FrameworkError(code, message, { statusCode: status, details: source.details });
}

/** The error object of any failure; only a FrameworkError keeps its message. */
export function toErrorObject(thrown: unknown, state: ContextState): AppSyncErrorObject {
  if (!isFrameworkError(thrown)) return describe('internal error', 500, {}, {});
  const error = canonicalError(toClientError(thrown));
  const data: Record<string, unknown> = { status_code: error.status };
  addText(data, 'request_id', error.requestId || state.requestId);
  addText(data, 'trace_id', error.traceId);
  addText(data, 'timestamp', error.timestamp);
  return describe(error.message, error.status, data, infoOf(error, state));
}

/**
 * The exception in place of an error object. Lambda sends `name` as `errorType` and `message` as `errorMessage`
 * (https://docs.aws.amazon.com/lambda/latest/dg/nodejs-exceptions.html), and AppSync creates a GraphQL error from both.
 */
export class ResolverError extends Error {
  override readonly name: string;
  /** The same as `name`. */
  readonly code: string;

  constructor({ error_message, error_type, error_info }: AppSyncErrorObject) {
    super(error_message);
    this.code = typeof error_info.code === 'string' ? error_info.code : error_type;
    this.name = this.code;
  }
}

function describe(
  message: string,
  status: number,
  data: Readonly<Record<string, unknown>>,
  info: Readonly<Record<string, unknown>>,
): AppSyncErrorObject {
  return {
    framework_error: true,
    error_message: message,
    error_type: status >= 400 && status <= 499 ? 'CLIENT_ERROR' : 'SYSTEM_ERROR',
    error_data: data,
    error_info: info,
  };
}

function infoOf({ code, details }: FrameworkError, { request }: ContextState): Record<string, unknown> {
  const info: Record<string, unknown> = {
    code,
    trigger_type: 'appsync',
    method: request.method,
    path: request.path,
  };
  if (!isEmpty(details)) info.details = details;
  return info;
}

function isEmpty(details: unknown): boolean {
  if (details === undefined || details === null || details === '') return true;
  return typeof details === 'object' && Object.keys(details).length === 0;
}

function addText(data: Record<string, unknown>, key: string, text: string): void {
  if (text !== '') data[key] = text;
}

/** The framework's code for a status; the general code of its class if absent. */
function codeOfStatus(status: number): string {
  const known = Object.entries(APP_CODES).find(([, value]) => value === status);
  return known?.[0] ?? (status < 500 ? 'app.bad_request' : 'app.internal');
}
