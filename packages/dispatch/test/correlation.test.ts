import { createLogger } from '@sallyport/core/observability';
import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';

const CLIENT = '0af7651916cd43dd8448eb211c80319c';
const FIRST = '1-5e272390-8c398be037738dc042009320';
const SECOND = '1-6b03e6f6-70e3be75ac47548ac95d4d27';

/** A request with a client's trace id, then the message that its handler sent, as SQS delivers it. */
async function order(requestHeaders: object, message: { attributes: object; messageAttributes: object }) {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    environment: {},
    write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  const app = createApp({ log, environment: {} });
  app.post('/orders', (ctx) => {
    ctx.log.info('accepted');
    return json(202, {});
  });
  app.queue('orders', (ctx) => ctx.log.info('fulfilled'));
  await app.handleLambda(
    {
      version: '2.0',
      routeKey: '$default',
      rawPath: '/orders',
      headers: requestHeaders,
      requestContext: { http: { method: 'POST', path: '/orders' }, stage: '$default' },
    },
    { xRayTraceId: `Root=${FIRST};Parent=53995c3f42cd8ad8;Sampled=1` },
  );
  await app.handleLambda(
    {
      Records: [
        {
          messageId: 'm',
          body: '{}',
          eventSource: 'aws:sqs',
          eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:orders',
          ...message,
        },
      ],
    },
    { xRayTraceId: `Root=${SECOND};Parent=53995c3f42cd8ad8;Sampled=1` },
  );
  return lines.map(({ message: text, trace_id, xray_trace_id }) => [text, trace_id, xray_trace_id]);
}

const traceparent = `00-${CLIENT}-b7ad6b7169203331-01`;

it.each([
  [
    "the client's id is on the line of the request only, and the X-Ray id on both",
    { traceparent },
    { attributes: { AWSTraceHeader: `Root=${FIRST}` }, messageAttributes: {} },
    FIRST,
    [
      ['accepted', CLIENT, FIRST],
      ['fulfilled', FIRST, SECOND],
    ],
  ],
  [
    "the client's id is on both where the message has it",
    { traceparent },
    { attributes: {}, messageAttributes: { traceparent: { stringValue: traceparent, dataType: 'String' } } },
    CLIENT,
    [
      ['accepted', CLIENT, FIRST],
      ['fulfilled', CLIENT, SECOND],
    ],
  ],
  [
    'one id is written once',
    { 'x-amzn-trace-id': `Root=${FIRST}` },
    { attributes: { AWSTraceHeader: `Root=${SECOND}` }, messageAttributes: {} },
    FIRST,
    [
      ['accepted', FIRST, undefined],
      ['fulfilled', SECOND, undefined],
    ],
  ],
])('%s', async (_name, headers, message, searched, expected) => {
  const lines = await order(headers, message);
  expect(lines).toEqual(expected);
  expect(lines.filter((line) => line.includes(searched)).length).toBe(
    searched === FIRST && !('traceparent' in headers) ? 1 : 2,
  );
});
