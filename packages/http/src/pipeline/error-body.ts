import { FrameworkError, isFrameworkError } from '@sallyport/core';
import { brandError, clientErrorOf, createFastMap, OutgoingResponse, toHeaderMap } from '@sallyport/core/internal';

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

/** The error that a client receives for an internal failure. */
export const INTERNAL_ERROR = new FrameworkError('app.internal');

/** The cause of {@link responseTooLarge}. It is logged and never sent. */
class ResponseSize extends Error {
  static {
    brandError(ResponseSize, 'sallyport.ResponseSize');
  }

  override readonly name = 'ResponseSize';
}

/** The error for an answer that exceeds the limit of the container or of the door. Its cause contains the size. */
export function responseTooLarge(bytes: number, maxBytes: number): FrameworkError {
  return new FrameworkError('app.too_large', 'response too large', {
    cause: new ResponseSize(`the answer has ${bytes} bytes, at most ${maxBytes} are allowed`),
  });
}

/** True if a thrown value was created by {@link responseTooLarge}. */
export function isResponseTooLarge(thrown: unknown): boolean {
  return isFrameworkError(thrown) && thrown.cause instanceof ResponseSize;
}

/** Converts a thrown value into a FrameworkError; only a FrameworkError keeps its message. */
export function toFrameworkError(thrown: unknown): FrameworkError {
  return isFrameworkError(thrown) ? thrown : INTERNAL_ERROR;
}

/** The error with its canonical code: two legacy codes become `app.bad_request`, a blank code becomes `app.internal`. */
export function canonicalError(error: FrameworkError): FrameworkError {
  const legacy = Object.hasOwn(LEGACY_MESSAGES, error.code);
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
export function errorResponse(thrown: FrameworkError, format: HttpErrorFormat, origin: ErrorOrigin): OutgoingResponse {
  const error = clientErrorOf(thrown);
  const canonical = canonicalError(error);
  const headers = error.headers ? toHeaderMap(error.headers) : createFastMap<string[]>();
  headers['content-type'] = [
    format === HTTP_ERROR_FORMAT_PROBLEM ? 'application/problem+json' : 'application/json; charset=utf-8',
  ];
  const body = encodeBody(
    format === HTTP_ERROR_FORMAT_NESTED
      ? { error: addOrigin(nestedBody(canonical), canonical, origin) }
      : format === HTTP_ERROR_FORMAT_PROBLEM
        ? addOrigin(problemBody(canonical), canonical, origin)
        : { code: error.code, message: error.message, details: error.details },
  );
  return new OutgoingResponse(canonical.status, headers, body);
}

type ErrorBody = Readonly<Record<string, unknown>>;

/** The order of the members is part of the contract. JSON omits members that are `undefined`. */
function nestedBody({ code, message, statusCode, status, details }: FrameworkError): ErrorBody {
  return { code, message, status_code: statusCode === undefined ? undefined : status, details };
}

/** The type is `about:blank`, so the title is the phrase of the status (RFC 9457 section 4.2.1); `code` distinguishes errors. */
function problemBody({ code, message, status, details }: FrameworkError): ErrorBody {
  return { type: 'about:blank', title: statusPhrase(status), status, detail: message, code, details };
}

function addOrigin(body: ErrorBody, error: FrameworkError, origin: ErrorOrigin): ErrorBody {
  return {
    ...body,
    request_id: error.requestId || origin.requestId || undefined,
    trace_id: error.traceId || origin.traceId || undefined,
    timestamp: error.timestamp || undefined,
    stack_trace: error.stackTrace || undefined,
  };
}

/** Details that JSON cannot represent are left out; they do not cause another failure. */
function encodeBody(body: ErrorBody): string {
  try {
    return JSON.stringify(body);
  } catch {
    return JSON.stringify(body, (key, value) => (key === 'details' ? undefined : value));
  }
}

/** Phrases of RFC 9110 section 15.5 that differ from the phrases of Node.js. */
const OWN_PHRASES: Readonly<Record<number, string>> = { 413: 'Content Too Large', 422: 'Unprocessable Content' };

/**
 * The phrase of a status, such as `Not Found`; `undefined` for an unknown status. The phrases are from Node.js. Its module
 * is loaded at the first use: the runtime of Lambda has loaded it by then.
 */
export function statusPhrase(status: number): string | undefined {
  return OWN_PHRASES[status] ?? process.getBuiltinModule('node:http').STATUS_CODES[status];
}
