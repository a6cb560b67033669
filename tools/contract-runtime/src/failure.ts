import type { JsonObject } from '@sallyport/contract';
import { FrameworkError } from '@sallyport/core';

/** Throws as a fixture specifies. */
export function failAs({ kind, message, code, status, details, value }: JsonObject): never {
  switch (kind) {
    case 'coded':
      throw new FrameworkError(String(code), message === undefined ? undefined : String(message), {
        statusCode: typeof status === 'number' ? status : undefined,
        details,
      });
    case 'value':
      throw value;
    case 'nothing':
      throw undefined;
    default:
      throw new Error(String(message ?? 'plain failure'));
  }
}

/** A thrown value in the form of the protocol: `code` is `''` for a value without a code. */
export function toErrorObject(thrown: unknown): JsonObject {
  if (!(thrown instanceof Error)) return { message: '', code: '' };
  const { message, code, details } = thrown as Error & { code?: unknown; details?: unknown };
  return {
    message,
    code: typeof code === 'string' ? code : '',
    ...(details !== undefined && { details: details as JsonObject }),
  };
}
