/**
 * The event of a function URL for a request, payload version 2.0, without an authorizer:
 * https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-payloads
 */
export async function toInvokeEvent(request: Request): Promise<unknown> {
  const { pathname, search, hostname } = new URL(request.url);
  const { cookie, ...headers } = Object.fromEntries(request.headers);
  const body = new Uint8Array(await request.arrayBuffer());
  const text = utf8Of(body);
  const now = Date.now();
  return {
    version: '2.0',
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: { ...headers, host: hostname },
    ...(cookie !== undefined && { cookies: cookie.split(/; */) }),
    requestContext: {
      domainName: hostname,
      http: {
        method: request.method,
        path: pathname,
        protocol: 'HTTP/1.1',
        sourceIp: '127.0.0.1',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: crypto.randomUUID(),
      stage: '$default',
      timeEpoch: now,
    },
    ...(body.length > 0 && { body: text ?? base64Of(body) }),
    isBase64Encoded: text === undefined,
  };
}

/** The text, or `undefined` if the bytes are not UTF-8. */
function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
