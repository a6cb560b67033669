import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { defineMetrics } from '@sallyport/core/observability';
import { ManualClock } from '@sallyport/core/testing';
import { json } from '@sallyport/http';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { buildAPIGatewayV2Request, buildQueueEvent } from '@sallyport/testkit/events';
import { type OtlpMetricsOptions, otlpMetrics } from '../src/metrics.js';
import { type DecodedPoint, decodeMetrics, metricsIn } from './support/their-metrics.js';

const requests: { readonly url: string; readonly type: string; readonly body: Buffer }[] = [];
let statuses: number[] = [];
const collector = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const isCompressed = request.headers['content-encoding'] === 'gzip';
  requests.push({
    url: request.url ?? '',
    type: request.headers['content-type'] ?? '',
    body: isCompressed ? gunzipSync(body) : body,
  });
  const status = statuses.shift() ?? 200;
  if (status > 0) response.writeHead(status).end();
});
let endpoint: string;
beforeAll(async () => {
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
beforeEach(() => {
  statuses = [];
  requests.splice(0);
});
afterAll(() => {
  collector.closeAllConnections();
  collector.close();
});

const EPOCH = 1_700_000_000_000;

function newApp(options: OtlpMetricsOptions = {}) {
  const clock = new ManualClock(EPOCH);
  const app = new SecureApp({
    principalResolver: () => ({ identity: 'ada', scopes: [], claims: {} }),
    log: false,
    clock,
    observability: {
      metric: otlpMetrics({ endpoint, service: 'shop', exportTimeoutMs: 30_000, environment: {}, ...options }),
      metrics: defineMetrics({ Orders: { unit: 'Count', tags: ['channel'] }, Amount: { unit: 'None' } }),
    },
  });
  app.get(
    '/orders/{id}',
    (ctx) => {
      ctx.metric('Orders', 1, { tags: { channel: 'web' } });
      ctx.metric('Orders', 2, { tags: { channel: 'web' } });
      ctx.metric('Amount', 12.5);
      ctx.metric('Amount', 20_000);
      clock.tick(40);
      if (ctx.param('id') === '0') throw new Error('no');
      return json(200, {});
    },
    Authenticated(),
  );
  app.queue('orders', (_ctx, { body }) => {
    if (body === 'bad') throw new Error('no');
  });
  return app;
}

const get = (id: number) => buildAPIGatewayV2Request('GET', `/orders/${id}`);
const bodyOf = (index = 0) => requests[index]?.body ?? Buffer.alloc(0);
const attributesOf = (point: DecodedPoint | undefined) =>
  Object.fromEntries((point?.attributes ?? []).map(({ key, value }) => [key, value.stringValue]));

it('the metrics of a request are one request to the collector, which their descriptors decode', async () => {
  await newApp({ by: ['route'] }).handleLambda(get(7));
  expect(requests.map(({ url, type }) => [url, type])).toEqual([['/v1/metrics', 'application/x-protobuf']]);
  const metrics = metricsIn(bodyOf());
  expect(metrics.Orders).toMatchObject({
    unit: '1',
    sum: {
      aggregationTemporality: 'AGGREGATION_TEMPORALITY_DELTA',
      isMonotonic: true,
      dataPoints: [{ asDouble: 3, startTimeUnixNano: '1700000000000000000', timeUnixNano: '1700000000040000000' }],
    },
  });
  expect(attributesOf(metrics.Orders?.sum?.dataPoints[0])).toEqual({ channel: 'web' });
  expect(metrics.Amount?.histogram).toMatchObject({
    aggregationTemporality: 'AGGREGATION_TEMPORALITY_DELTA',
    dataPoints: [{ count: '2', sum: 20_012.5, min: 12.5, max: 20_000 }],
  });
  const [amount] = metrics.Amount?.histogram?.dataPoints ?? [];
  expect(amount?.explicitBounds).toEqual([0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000]);
  expect(amount?.bucketCounts?.map(Number)).toEqual([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  expect(metrics.RequestDuration).toMatchObject({ unit: 'ms', histogram: { dataPoints: [{ count: '1', sum: 40 }] } });
  expect(attributesOf(metrics.RequestCount?.sum?.dataPoints[0])).toEqual({
    trigger: 'gateway-v2',
    method: 'GET',
    route: '/orders/{id}',
  });
  expect(decodeMetrics(bodyOf()).resourceMetrics).toMatchObject([
    { resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] } },
  ]);
});

it('a failure has its code, and only its own point', async () => {
  await newApp().handleLambda(get(0));
  const { RequestErrors, RequestCount } = metricsIn(bodyOf());
  expect(RequestErrors?.sum?.dataPoints[0]?.asDouble).toBe(1);
  expect(attributesOf(RequestErrors?.sum?.dataPoints[0])).toEqual({
    trigger: 'gateway-v2',
    'error.type': 'app.internal',
  });
  expect(attributesOf(RequestCount?.sum?.dataPoints[0])).toEqual({ trigger: 'gateway-v2' });
});

it('a batch has its records, failures, retries and age', async () => {
  const event = buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [
    { body: 'good', attributes: { SentTimestamp: String(EPOCH - 5000), ApproximateReceiveCount: '3' } },
    { body: 'bad', attributes: { SentTimestamp: String(EPOCH - 9000), ApproximateReceiveCount: '1' } },
  ]);
  await newApp({ by: ['source'] }).handleLambda(event);
  const { BatchRecords, BatchFailures, BatchRetries, OldestRecordAge } = metricsIn(bodyOf());
  expect([BatchRecords, BatchFailures, BatchRetries].map((metric) => metric?.sum?.dataPoints[0]?.asDouble)).toEqual([
    2, 1, 1,
  ]);
  expect(OldestRecordAge?.histogram?.dataPoints).toMatchObject([{ sum: 9000, min: 9000, max: 9000 }]);
  expect(attributesOf(BatchRecords?.sum?.dataPoints[0])).toEqual({ trigger: 'queue', source: 'orders' });
});

it('values of a tag beyond the first 100 are other, and FoldedValues counts them', async () => {
  const metric = otlpMetrics({ endpoint, service: 'shop', exportTimeoutMs: 30_000, environment: {} });
  const app = new SecureApp({
    principalResolver: () => null,
    log: false,
    observability: { metric, metrics: defineMetrics({ Orders: { unit: 'Count', tags: ['shop'] } }) },
  });
  app.queue('orders', (ctx) => {
    for (let shop = 0; shop < 103; shop += 1) ctx.metric('Orders', 1, { tags: { shop: `s${shop}` } });
  });
  await app.handleLambda(buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [{ body: '' }]));
  const { Orders, FoldedValues } = metricsIn(bodyOf());
  const points = Orders?.sum?.dataPoints ?? [];
  expect(points).toHaveLength(101);
  const other = points.find((point) => attributesOf(point).shop === 'other');
  expect([other?.asDouble, FoldedValues?.sum?.dataPoints[0]?.asDouble]).toEqual([3, 3]);
});

it('the JSON encoding has the same content', async () => {
  await newApp({ protocol: 'http/json' }).handleLambda(get(7));
  expect(requests[0]?.type).toBe('application/json');
  const { resourceMetrics } = JSON.parse(bodyOf().toString());
  const { metrics } = resourceMetrics[0].scopeMetrics[0];
  expect(metrics.find(({ name }: { readonly name: string }) => name === 'Amount')).toMatchObject({
    histogram: {
      aggregationTemporality: 1,
      dataPoints: [{ count: '2', sum: 20_012.5, timeUnixNano: '1700000000040000000' }],
    },
  });
});

it.each([400, 429, 503])('after status %d the values are dropped, and the next request counts them', async (status) => {
  statuses = [status];
  const app = newApp();
  await app.handleLambda(get(7));
  await app.handleLambda(get(7));
  expect(requests).toHaveLength(2);
  expect(metricsIn(bodyOf(0)).DroppedPoints).toBeUndefined();
  // Two values of Orders and of Amount, four of the request.
  expect(metricsIn(bodyOf(1)).DroppedPoints?.sum?.dataPoints).toMatchObject([{ asDouble: 8 }]);
  expect(metricsIn(bodyOf(1)).RequestCount?.sum?.dataPoints).toMatchObject([{ asDouble: 1 }]);
});

it('a collector that does not answer delays the answer by at most the time-out', async () => {
  statuses = [0];
  const arrived = once(collector, 'request');
  const app = newApp({ exportTimeoutMs: 500 });
  await expect(app.handleLambda(get(7))).resolves.toMatchObject({ statusCode: 200 });
  await arrived;
});

it('counts the cold start of an environment once', async () => {
  const app = newApp({ environment: { AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand' } });
  await app.handleLambda(get(7));
  await app.handleLambda(get(7));
  expect(requests.map(({ body }) => metricsIn(body).ColdStarts?.sum?.dataPoints[0]?.asDouble)).toEqual([1, undefined]);
});

it.each([
  [{ by: ['customer'] }, 'by[0]'],
  [{ endpoint: 'ftp://x' }, 'endpoint'],
  [{ protocol: 'grpc' }, 'protocol'],
  [{ exportTimeoutMs: 0 }, 'exportTimeoutMs'],
  [{ metrics: true }, 'metrics'],
])('rejects %j at construction', (options, named) => {
  expect(() => otlpMetrics({ environment: {}, ...options } as never)).toThrow(
    expect.failure('app.invalid_configuration', `"${named}"`),
  );
});
