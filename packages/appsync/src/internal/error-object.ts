import { APP_CODES, type FrameworkError, isFrameworkError } from '@sallyport/core';
import type { ContextState } from '@sallyport/core/pipeline';
import { canonicalError } from '@sallyport/http/pipeline';
import type { AppSyncErrorObject } from '../resolver/event-types.js';

/** The error object of anything that failed; only a FrameworkError keeps its message. */
export function toErrorObject(thrown: unknown, state: ContextState): AppSyncErrorObject {
  if (!isFrameworkError(thrown)) return describe('internal error', 500, {}, {});
  const error = canonicalError(thrown);
  const data: Record<string, unknown> = { status_code: error.status };
  addText(data, 'request_id', error.requestId || state.requestId);
  addText(data, 'trace_id', error.traceId);
  addText(data, 'timestamp', error.timestamp);
  return describe(error.message, error.status, data, infoOf(error, state));
}

/**
 * What is thrown in place of an error object. Lambda sends `name` as `errorType` and `message` as `errorMessage`
 * (https://docs.aws.amazon.com/lambda/latest/dg/nodejs-exceptions.html), and AppSync makes a GraphQL error of both.
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

/** The framework's code of a status; the general one of its class where there is none. */
export function codeOfStatus(status: number): string {
  const known = Object.entries(APP_CODES).find(([, value]) => value === status);
  return known?.[0] ?? (status < 500 ? 'app.bad_request' : 'app.internal');
}
