import { FrameworkError, isFrameworkError } from '@sallyport/core';
import { OutgoingResponse, toHeaderMap } from '@sallyport/core/pipeline';
import { statusPhrase } from './internal/status-phrase.js';

/** `{"error":{…}}`, the default. */
export const HTTP_ERROR_FORMAT_NESTED = 'nested';
/** Top-level `code`, `message` and `details` with the legacy codes and messages kept. */
export const HTTP_ERROR_FORMAT_FLAT_LEGACY = 'flat_legacy';
/** Problem details for HTTP APIs, `application/problem+json` (RFC 9457). */
export const HTTP_ERROR_FORMAT_PROBLEM = 'problem';
/** Shape of error bodies: `nested` (default), `problem` or `flat_legacy`. */
export type HttpErrorFormat =
  | typeof HTTP_ERROR_FORMAT_NESTED
  | typeof HTTP_ERROR_FORMAT_PROBLEM
  | typeof HTTP_ERROR_FORMAT_FLAT_LEGACY;

const LEGACY_MESSAGES: Readonly<Record<string, string>> = {
  EMPTY_BODY: 'request body is empty',
  INVALID_JSON: 'invalid json',
};

function isLegacyCode(code: string): boolean {
  return Object.hasOwn(LEGACY_MESSAGES, code);
}

/** The answer to internal failures. */
export const INTERNAL_ERROR = new FrameworkError('app.internal');

/** The cause of {@link responseTooLarge}: for the log, never sent. */
class ResponseSize extends Error {
  override readonly name = 'ResponseSize';
}

/** The error for an answer over the container's limit or the door's; its cause says how many bytes there were. */
export function responseTooLarge(bytes: number, maxBytes: number): FrameworkError {
  return new FrameworkError('app.too_large', 'response too large', {
    cause: new ResponseSize(`the answer has ${bytes} bytes, at most ${maxBytes} are allowed`),
  });
}

/** Whether a thrown value is what {@link responseTooLarge} makes. */
export function isResponseTooLarge(thrown: unknown): boolean {
  return isFrameworkError(thrown) && thrown.cause instanceof ResponseSize;
}

/** Converts a thrown value into a FrameworkError; only a FrameworkError keeps its message. */
export function toFrameworkError(thrown: unknown): FrameworkError {
  return isFrameworkError(thrown) ? thrown : INTERNAL_ERROR;
}

/** The error under its canonical code: two legacy codes are `app.bad_request`, a blank code is `app.internal`. */
export function canonicalError(error: FrameworkError): FrameworkError {
  const legacy = isLegacyCode(error.code);
  if (!legacy && error.code.trim() !== '') return error;
  const { details, requestId, traceId, timestamp, stackTrace, headers, statusCode } = error;
  return new FrameworkError(
    legacy ? 'app.bad_request' : 'app.internal',
    legacy ? LEGACY_MESSAGES[error.code] : error.message,
    {
      details,
      requestId,
      traceId,
      timestamp,
      stackTrace,
      headers,
      statusCode,
      cause: error,
    },
  );
}

/** Data of the invocation for an error body, if the error does not have it. */
export interface ErrorOrigin {
  readonly requestId: string;
  readonly traceId: string;
}

/** The answer of an error in one of the formats. */
export function errorResponse(error: FrameworkError, format: HttpErrorFormat, origin: ErrorOrigin): OutgoingResponse {
  const canonical = canonicalError(error);
  const headers = toHeaderMap(error.headers);
  headers['content-type'] = [
    format === HTTP_ERROR_FORMAT_PROBLEM ? 'application/problem+json' : 'application/json; charset=utf-8',
  ];
  const body = encodeBody(
    format === HTTP_ERROR_FORMAT_NESTED
      ? { error: addOrigin(nestedBody(canonical), canonical, origin) }
      : format === HTTP_ERROR_FORMAT_PROBLEM
        ? addOrigin(problemBody(canonical), canonical, origin)
        : flatBody(error),
  );
  return new OutgoingResponse(canonical.status, headers, body);
}

/** Members in the order that the contract fixes. */
function nestedBody(error: FrameworkError): Record<string, unknown> {
  const body: Record<string, unknown> = { code: error.code, message: error.message };
  if (error.statusCode !== undefined) body.status_code = error.status;
  if (error.details !== undefined) body.details = error.details;
  return body;
}

/** The type is `about:blank`, so the title is the phrase of the status (RFC 9457 section 4.2.1); `code` tells errors apart. */
function problemBody({ code, message, status, details }: FrameworkError): Record<string, unknown> {
  const body: Record<string, unknown> = {
    type: 'about:blank',
    title: statusPhrase(status),
    status,
    detail: message,
    code,
  };
  if (details !== undefined) body.details = details;
  return body;
}

function flatBody(error: FrameworkError): Record<string, unknown> {
  const body: Record<string, unknown> = { code: error.code, message: error.message };
  if (error.details !== undefined) body.details = error.details;
  return body;
}

function addOrigin(body: Record<string, unknown>, error: FrameworkError, origin: ErrorOrigin): Record<string, unknown> {
  addText(body, 'request_id', error.requestId || origin.requestId);
  addText(body, 'trace_id', error.traceId || origin.traceId);
  addText(body, 'timestamp', error.timestamp);
  addText(body, 'stack_trace', error.stackTrace);
  return body;
}

function addText(body: Record<string, unknown>, key: string, text: string): void {
  if (text !== '') body[key] = text;
}

/** Details that cannot be written as JSON are left out rather than turned into another failure. */
function encodeBody(body: Record<string, unknown>): string {
  try {
    return JSON.stringify(body);
  } catch {
    return JSON.stringify(body, (key, value) => (key === 'details' ? undefined : value));
  }
}
