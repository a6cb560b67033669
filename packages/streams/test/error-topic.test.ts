import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SNSClient } from '@aws-sdk/client-sns';
import { createErrorTopicPublish } from '@sallyport/streams/error-topic';

const notification = {
  topicArn: 'arn:aws:sns:eu-west-1:123456789012:errors',
  subject: 'orders: app.internal',
  message: '{"schema":"framework.error-notification/v1"}',
};

/** SNS on loopback, as far as a publish needs it. */
async function withTopic(status: number, work: (endpoint: string, bodies: URLSearchParams[]) => Promise<void>) {
  const bodies: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      bodies.push(new URLSearchParams(body));
      response.writeHead(status, { 'content-type': 'text/xml' });
      response.end(
        status === 200
          ? '<PublishResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishResult><MessageId>m-1</MessageId></PublishResult></PublishResponse>'
          : '<ErrorResponse><Error><Type>Sender</Type><Code>AuthorizationError</Code><Message>no</Message></Error></ErrorResponse>',
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const client = (endpoint: string) =>
  new SNSClient({
    endpoint,
    region: 'eu-west-1',
    maxAttempts: 1,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });

describe('createErrorTopicPublish', () => {
  it('publishes messages of the notifier', async () => {
    await withTopic(200, async (endpoint, bodies) => {
      await createErrorTopicPublish({ client: client(endpoint) })(notification);
      expect(
        bodies.map((body) => [body.get('Action'), body.get('TopicArn'), body.get('Subject'), body.get('Message')]),
      ).toEqual([
        [
          'Publish',
          'arn:aws:sns:eu-west-1:123456789012:errors',
          'orders: app.internal',
          '{"schema":"framework.error-notification/v1"}',
        ],
      ]);
    });
  });

  it('creates a client in the region of the topic', async () => {
    await withTopic(200, async (endpoint, bodies) => {
      const names = { AWS_ENDPOINT_URL_SNS: endpoint, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
      const before = { ...process.env };
      Object.assign(process.env, names);
      try {
        const publish = createErrorTopicPublish();
        await publish(notification);
        await publish(notification);
      } finally {
        for (const name of Object.keys(names)) {
          if (before[name] === undefined) delete process.env[name];
          else process.env[name] = before[name];
        }
      }
      expect(bodies).toHaveLength(2);
    });
  });

  it('rejects when the topic does', async () => {
    await withTopic(403, async (endpoint) => {
      await expect(createErrorTopicPublish({ client: client(endpoint) })(notification)).rejects.toMatchObject({
        name: 'AuthorizationErrorException',
      });
    });
  });

  it('rejects an unknown option', () => {
    expect(() => createErrorTopicPublish({ topic: 'x' } as never)).toThrow(
      expect.failure('app.invalid_configuration', 'unknown option "topic"'),
    );
  });
});
