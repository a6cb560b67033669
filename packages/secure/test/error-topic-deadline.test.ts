import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createErrorNotifier, createLogger } from '@sallyport/core/observability';
import { Public, SecureApp } from '@sallyport/secure';
import { createErrorTopicPublish } from '@sallyport/streams/error-topic';
import { buildLambdaFunctionURLRequest } from '@sallyport/testkit';

/** The client of the topic reads its endpoint and its keys from the environment. */
const NAMES = ['AWS_ENDPOINT_URL_SNS', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
const before = { ...process.env };
afterEach(() => {
  for (const name of NAMES) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
});

it('a notification ends shortly before the invocation does if the topic never answers, with a log line', async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [index, value] of [endpoint, 'a', 'b'].entries()) process.env[NAMES[index] ?? ''] = value;
  const lines: string[] = [];
  let written = () => {};
  const both = new Promise<void>((resolve) => {
    written = resolve;
  });
  const write = (line: string) => {
    lines.push(JSON.parse(line).message);
    if (lines.length === 2) written();
  };
  const notifier = createErrorNotifier({
    publish: createErrorTopicPublish({ timeoutMs: 60_000 }),
    topicArn: 'arn:aws:sns:eu-west-1:123456789012:errors',
  });
  const app = new SecureApp({ log: createLogger({ sinks: [notifier], write }) });
  app.get(
    '/orders',
    () => {
      throw new Error('broken');
    },
    Public(),
  );
  const ends = Date.now() + 300;
  const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => ends - Date.now() };
  const answer = await app.serveLambdaFunctionURL(buildLambdaFunctionURLRequest('GET', '/orders'), context);
  await both;
  server.close();
  server.closeAllConnections();
  expect([(answer as { statusCode: number }).statusCode, lines]).toEqual([
    500,
    [expect.any(String), 'error notification failed'],
  ]);
});
