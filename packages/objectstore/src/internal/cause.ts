/**
 * The part of an AWS SDK error that is kept. The error itself contains the response and with it the request: its signature, its
 * session token, and S3's text about the key.
 */
export function toSafeCause(error: unknown): unknown {
  if (!(error instanceof Error) || !('$metadata' in error)) return error;
  const { name, message, stack, $metadata } = error as Error & { readonly $metadata: unknown };
  const { httpStatusCode, requestId, attempts } = ($metadata ?? {}) as Record<string, unknown>;
  const safe = Object.assign(new Error(message), { name, $metadata: { httpStatusCode, requestId, attempts } });
  if (stack !== undefined) safe.stack = stack;
  return safe;
}
