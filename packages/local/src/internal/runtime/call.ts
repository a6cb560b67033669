import type { RunResult } from './environment.js';
import type { FailureReason, FunctionError, InvokeOptions, InvokeOutcome } from './invoker.js';
import { invokedArn } from './variables.js';

/** One event to be delivered to the function. */
export interface Call {
  readonly id: number;
  readonly requestId: string;
  readonly text: string;
  readonly header: string;
  readonly options: InvokeOptions;
}

/** The outcome of a call that failed. */
export function failed({ id, requestId }: Call, reason: FailureReason, error: FunctionError): InvokeOutcome {
  return { ok: false, id, requestId, reason, error };
}

/** The outcome of a call that an environment has run. */
export function toOutcome(call: Call, result: RunResult): InvokeOutcome {
  const { id, requestId } = call;
  if (result.kind === 'failed') return failed(call, result.reason, result.error);
  const { streamed, text } = result;
  return { ok: true, id, requestId, streamed, answer: streamed ? undefined : parseAnswer(text) };
}

/** A streaming handler can write any bytes; if the door requires JSON, other contents become a string. */
function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The headers of an event; header values are the bytes of UTF-8, one character per byte. */
export function headersOf(
  { requestId, header, options }: Call,
  name: string,
  variables: Readonly<Record<string, string>>,
): Record<string, string> {
  const { clientContext, origin } = options;
  const toBytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
  return {
    'lambda-runtime-aws-request-id': requestId,
    'lambda-runtime-invoked-function-arn': invokedArn(name, variables, origin.alias),
    'lambda-runtime-trace-id': header,
    ...(clientContext === undefined ? {} : { 'lambda-runtime-client-context': toBytes(JSON.stringify(clientContext)) }),
  };
}

/** `201`, `1 of 2 failed`, `ok`. */
export function summaryOf(answer: unknown): string {
  const { statusCode, batchItemFailures } = (answer ?? {}) as { statusCode?: unknown; batchItemFailures?: unknown };
  if (typeof statusCode === 'number') return String(statusCode);
  if (Array.isArray(batchItemFailures) && batchItemFailures.length > 0) return `${batchItemFailures.length} failed`;
  return 'ok';
}
