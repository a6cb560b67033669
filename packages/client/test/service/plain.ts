/** A function without the framework: buffered answers, and failures of an invocation. */
interface Event {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly cookies?: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isBase64Encoded: boolean;
}

export async function handler(event: Event): Promise<unknown> {
  switch (event.rawPath) {
    case '/exit':
      return process.exit(1);
    case '/throw':
      throw new TypeError('no such price');
    case '/large':
      return { statusCode: 200, body: 'x'.repeat(6_291_556) };
    case '/hold':
      return new Promise(() => undefined);
    case '/text':
      return 'no HTTP answer';
    case '/bytes':
      return {
        statusCode: 200,
        headers: { 'content-type': 'application/octet-stream' },
        cookies: ['a=1', 'b=2'],
        body: 'AP+A',
        isBase64Encoded: true,
      };
    default:
      return {
        statusCode: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...event, requestContext: undefined }),
      };
  }
}
