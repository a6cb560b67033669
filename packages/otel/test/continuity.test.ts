import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { type Message, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { json } from '@sallyport/http';
import { createMcpServer, memoryMcpStore, mountMcp } from '@sallyport/mcp';
import { Public, SecureApp } from '@sallyport/secure';
import { buildAPIGatewayV2Request, buildQueueEvent, buildTopicEvent } from '@sallyport/testkit';
import { traceClient } from '../src/aws.js';
import { tracedFetch, tracing, withTrace } from '../src/index.js';
import { collectSpans } from '../src/testing.js';

const CLIENT = '0af7651916cd43dd8448eb211c80319c';
const PLATFORM = (index: number) => `Root=1-5759e988-bd862e3fe1be46a99427279${index};Parent=53995c3f42cd8ad8;Sampled=1`;
const ACCOUNT = { region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };

type Line = Record<string, unknown>;

/** The Node.js that the workspace installs where the machine's is older than 22. */
const INSTALLED = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url));

/** A local SQS and SNS with the queues `orders` and `copies` and the topic `news`. */
async function startQueues() {
  const node = existsSync(INSTALLED) ? INSTALLED : process.execPath;
  const program = fileURLToPath(new URL('functions/queues.mjs', import.meta.url));
  const running = spawn(node, ['--no-warnings', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [first] = (await once(running.stdout, 'data')) as [Buffer];
  const stop = async () => {
    running.stdin.end();
    await once(running, 'exit');
  };
  return { port: Number(first.toString()), stop };
}

/** One service with all parts of the way; queue and topic belong to a local server. */
async function startWay(joinsPlatform: boolean, trusted: boolean) {
  const local = await startQueues();
  const endpoint = `http://127.0.0.1:${local.port}`;
  const sqs = traceClient(new SQSClient({ ...ACCOUNT, endpoint }));
  const sns = traceClient(new SNSClient({ ...ACCOUNT, endpoint }));
  const queueUrl = (name: string) => `${endpoint}/000000000000/${name}`;

  const lines: Line[] = [];
  const spans = collectSpans({ joinsPlatform });
  const server = createMcpServer({ name: 'way', version: '1.0.0', store: memoryMcpStore() });
  server.tool('arrive', { description: 'The end.' }, (_args, ctx) => ctx.span('arrived', () => 'done'));
  const app = new SecureApp({
    principalResolver: () => null,
    log: false,
    observability: {
      span: tracing({ exporter: spans, ratio: 1, trustParent: () => trusted }),
      log: (line) => void lines.push(line),
    },
  });
  app.post(
    '/orders',
    async () => {
      await sqs.send(new SendMessageCommand(withTrace({ QueueUrl: queueUrl('orders'), MessageBody: '{}' })));
      return json(202, {});
    },
    Public(),
  );
  app.queue('orders', async () => {
    await sns.send(
      new PublishCommand(withTrace({ TopicArn: 'arn:aws:sns:us-east-1:000000000000:news', Message: '{}' })),
    );
  });
  mountMcp(app, server, { posture: Public(), allowedOrigins: [] });

  const door = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = request.headers as Record<string, string>;
    const event = buildAPIGatewayV2Request('POST', '/mcp', { headers, body: Buffer.concat(chunks).toString() });
    const { statusCode, body } = (await app.handleLambda(event, { xRayTraceId: PLATFORM(4) })) as {
      statusCode: number;
      body: string;
    };
    response.writeHead(statusCode).end(body);
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  const mcp = `http://127.0.0.1:${(door.address() as AddressInfo).port}/mcp`;
  app.topic('news', async (ctx) => {
    const answer = await tracedFetch(ctx, mcp, CALL);
    expect(answer.status).toBe(200);
  });

  return {
    app,
    lines,
    spans,
    async receive(name: string): Promise<Message> {
      const command = new ReceiveMessageCommand({
        QueueUrl: queueUrl(name),
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
        WaitTimeSeconds: 5,
      });
      const { Messages = [] } = await sqs.send(command);
      return Messages[0] ?? {};
    },
    async stop() {
      sqs.destroy();
      sns.destroy();
      door.closeAllConnections();
      door.close();
      await local.stop();
    },
  };
}

const CALL = {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'arrive',
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'arrive',
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
};

it.each([
  ['X-Ray', true, false],
  ['a collector, with a client that is not trusted', false, false],
  ['a collector, with a trusted client', false, true],
])('one id goes from the client over HTTP, a queue and a topic to an MCP tool: %s', async (_title, joins, trusted) => {
  const way = await startWay(joins, trusted);
  const { app, lines, spans } = way;
  await app.handleLambda(
    buildAPIGatewayV2Request('POST', '/orders', { headers: { traceparent: `00-${CLIENT}-b7ad6b7169203331-01` } }),
    { xRayTraceId: PLATFORM(1) },
  );
  const order = await way.receive('orders');
  const attributes = Object.fromEntries(
    Object.entries(order.MessageAttributes ?? {}).map(([name, { StringValue = '' }]) => [name, StringValue]),
  );
  await app.handleLambda(
    buildQueueEvent('arn:aws:sqs:us-east-1:000000000000:orders', [{ messageAttributes: attributes }]),
    { xRayTraceId: PLATFORM(2) },
  );
  const copy = JSON.parse((await way.receive('copies')).Body ?? '{}');
  const sent = Object.fromEntries(
    Object.entries(copy.MessageAttributes as Record<string, { Value: string }>).map(([name, { Value }]) => [
      name,
      Value,
    ]),
  );
  await app.handleLambda(buildTopicEvent('arn:aws:sns:us-east-1:000000000000:news', [{ messageAttributes: sent }]), {
    xRayTraceId: PLATFORM(3),
  });
  await way.stop();

  // A search for the id of the client finds a line of every part.
  const found = lines.filter(({ trace_id, remote_trace_id }) => [trace_id, remote_trace_id].includes(CLIENT));
  expect(found.map(({ trigger }) => trigger)).toEqual(['gateway-v2', 'queue', 'gateway-v2', 'topic']);
  const ids = lines.flatMap(({ trace_id, remote_trace_id }) => [trace_id, remote_trace_id || CLIENT]);
  expect(ids.filter((id) => !/^[0-9a-f]{32}$/.test(String(id)))).toEqual([]);
  // Each part after the first has a link to, or is a child of, a span of the part before it.
  const known = new Set(spans.spans.map(({ spanId }) => spanId));
  const roots = spans.spans.filter(({ links }) => links.some(({ spanId }) => known.has(spanId)));
  const children = spans.spans.filter(
    ({ name, parentSpanId }) => name === 'POST /mcp' && known.has(parentSpanId ?? ''),
  );
  expect(roots.length + children.length).toBe(3);
});
