import { ClientError } from '../errors.js';
import { jsonOrText } from './json.js';

/** The result of `InvokeCommand`. */
export interface InvokeResult {
  /** `Unhandled` or `Handled` if the invocation failed. */
  readonly FunctionError?: string;
  /** The JSON of the function. */
  readonly Payload?: Uint8Array;
}

interface Head {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly cookies?: readonly string[];
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

/** Statuses for which `Response` rejects a body. */
const EMPTY = [204, 205, 304];

/**
 * The response of a function, from a result in the format of payload version 2.0.
 *
 * @throws ClientError `client.function_error`, `client.too_large`; `client.foreign` for a result that is not an HTTP answer
 */
export function toInvokeResponse(name: string, { FunctionError, Payload }: InvokeResult): Response {
  const text = new TextDecoder().decode(Payload);
  if (FunctionError !== undefined) throw functionError(name, text);
  const head = jsonOrText(text) as Head | null;
  const status = head?.statusCode;
  if (!Number.isInteger(status) || status === undefined || status < 200 || status > 599)
    throw new ClientError(
      'client.foreign',
      `${name}: the result of the function is not an HTTP answer: invoke a function that exports app.handleLambda, not a streaming handler`,
    );
  const headers = new Headers();
  for (const [field, value] of Object.entries(head?.headers ?? {})) headers.set(field, String(value));
  for (const cookie of head?.cookies ?? []) headers.append('set-cookie', cookie);
  const body = bodyOf(head);
  return new Response(EMPTY.includes(status) || body?.length === 0 ? null : body, { status, headers });
}

function bodyOf(head: Head | null): Uint8Array<ArrayBuffer> | undefined {
  if (head?.body === undefined) return undefined;
  if (!head.isBase64Encoded) return new TextEncoder().encode(head.body);
  return Uint8Array.from(atob(head.body), (char) => char.charCodeAt(0));
}

function functionError(name: string, text: string): ClientError {
  const cause = jsonOrText(text);
  const { errorType } = (cause ?? {}) as { readonly errorType?: string };
  // https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
  if (errorType === 'Function.ResponseSizeTooLarge')
    return new ClientError('client.too_large', `${name}: the answer exceeds 6 MB`, { cause, status: 413 });
  return new ClientError('client.function_error', `${name}: the invocation failed with ${errorType}`, {
    cause,
    status: 502,
  });
}
