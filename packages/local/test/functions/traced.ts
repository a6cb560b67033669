import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { GetQueueUrlCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { json } from '@sallyport/http';
import { createMcpServer, memoryMcpStore, mountMcp } from '@sallyport/mcp';
import { tracedFetch, tracing, withTrace } from '@sallyport/otel';
import { traceClient } from '@sallyport/otel/aws';
import { otlpExporter } from '@sallyport/otel/http';
import { Public, SecureApp } from '@sallyport/secure';

const { TRACE_PROTOCOL } = process.env;
const TopicArn = 'arn:aws:sns:us-east-1:123456789012:news';
const protocol = TRACE_PROTOCOL === 'http/json' ? TRACE_PROTOCOL : 'http/protobuf';
const exporter = TRACE_PROTOCOL === undefined ? undefined : otlpExporter({ protocol, exportTimeoutMs: 5000 });
const sqs = traceClient(new SQSClient({ maxAttempts: 1 }));
const sns = traceClient(new SNSClient({ maxAttempts: 1 }));
const span = tracing({ service: 'orders', ...(exporter && { exporter, ratio: 1 }) });
const app = new SecureApp({ observability: { span } });

app.post(
  '/orders',
  async (ctx) => {
    await ctx.span('price the order', () => {}, { 'order.lines': 3, password: 'hunter2' });
    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: 'orders' }));
    await sqs.send(new SendMessageCommand(withTrace({ QueueUrl, MessageBody: ctx.bodyText() })));
    return json(202, {});
  },
  Public(),
);
app.queue('orders', async (ctx, { body }) => {
  console.log('booking', body);
  if (body?.includes('bad')) throw new Error('a bad order');
  await sns.send(new PublishCommand(withTrace({ TopicArn, Message: body ?? '' })));
  ctx.log.info('published');
});
app.topic('news', async (ctx, { Sns }) => {
  const { door } = JSON.parse(Sns.Message) as { readonly door: string };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'book', arguments: {}, _meta } };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'book',
  };
  const answer = await tracedFetch(ctx, `${door}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) });
  console.log(answer.status, await answer.text());
});

const server = createMcpServer({
  name: 'orders',
  version: '1.0.0',
  secret: { current: 'a secret of thirty-two bytes, at least' },
  store: memoryMcpStore(),
});
server.tool('book', { inputJsonSchema: { type: 'object' } }, () => 'booked');
mountMcp(app, server, { posture: Public() });

export const handler = app.handleLambda;
