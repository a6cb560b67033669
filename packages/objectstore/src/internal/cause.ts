/**
 * What may be kept of an error of the AWS SDK. The error itself holds the answer and with it the request: its signature, its session
 * token, and what S3 says of the key.
 */
export function toSafeCause(error: unknown): unknown {
  if (!(error instanceof Error) || !('$metadata' in error)) return error;
  const { name, message, stack, $metadata } = error as Error & { readonly $metadata: unknown };
  const { httpStatusCode, requestId, attempts } = ($metadata ?? {}) as Record<string, unknown>;
  const safe = Object.assign(new Error(message), { name, $metadata: { httpStatusCode, requestId, attempts } });
  if (stack !== undefined) safe.stack = stack;
  return safe;
}
