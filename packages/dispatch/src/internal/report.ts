import { type FrameworkError, guardHook, type LambdaContext, type Logger } from '@sallyport/core';
import type { Explanation } from '../explain.js';
import { safeText } from './words.js';

const MAX_REQUEST_ID_CHARACTERS = 128;

/** One `error` line with the row that came closest. A logger that throws changes nothing. */
export function reportUnknown(
  error: FrameworkError,
  log: Logger | undefined,
  lambdaContext: LambdaContext | undefined,
): void {
  const { nearest } = error.details as Explanation;
  guardHook(() => {
    const id: unknown = lambdaContext?.awsRequestId;
    const bound = typeof id === 'string' && id !== '' ? { request_id: safeText(id, MAX_REQUEST_ID_CHARACTERS) } : {};
    const fields = { event: error.code, nearest };
    if (log) log.with(bound).error(error.message, fields);
    else writeLine(error.message, { ...bound, ...fields });
  });
}

/** The form of the framework's logger, to the same stream; past `console`, which the Lambda service patches. */
function writeLine(message: string, fields: Readonly<Record<string, unknown>>): void {
  const timestamp = new Date().toISOString();
  const service = process.env.AWS_LAMBDA_FUNCTION_NAME ?? '';
  process.stdout.write(`${JSON.stringify({ timestamp, level: 'ERROR', message, service, ...fields })}\n`);
}
