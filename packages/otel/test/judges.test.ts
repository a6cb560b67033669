import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context, propagation, trace } from '@opentelemetry/api';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { buildAPIGatewayV2Request, buildQueueEvent } from '@sallyport/testkit';
import { fromTracer } from '../src/bridge.js';
import { tracing, udpExporter } from '../src/index.js';
import { collectSpans } from '../src/testing.js';

const get = (path: string) => buildAPIGatewayV2Request('GET', path);

describe('the bridge to an OpenTelemetry SDK', () => {
  it('makes the span of an instrumented fetch a child of ours, and the server receives its id', async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    provider.register();
    const instrumentation = new UndiciInstrumentation();
    instrumentation.setTracerProvider(provider);
    let traceparent: unknown;
    const server = createServer((request, response) => {
      traceparent = request.headers.traceparent;
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const app = createApp({ log: false, observability: { span: fromTracer(provider.getTracer('service')) } });
    app.get('/', async (ctx) => {
      const { port } = server.address() as AddressInfo;
      await ctx.span('load', async () => (await fetch(`http://127.0.0.1:${port}/`)).text());
      return json(200, {});
    });

    await app.handleLambda(get('/'), {});

    const spans = exporter.getFinishedSpans();
    const [fetched, load] = ['GET', 'load'].map((name) => spans.find((span) => span.name === name));
    expect(fetched?.parentSpanContext?.spanId).toBe(load?.spanContext().spanId);
    expect(traceparent).toBe(`00-${load?.spanContext().traceId}-${fetched?.spanContext().spanId}-01`);
    server.closeAllConnections();
    server.close();
    instrumentation.disable();
    await provider.shutdown();
    for (const api of [trace, context, propagation]) api.disable();
  });
});

describe('no network', () => {
  it('counts the spans that the system rejected, and the answer is the same as without a tracer', async () => {
    const closed = createSocket('udp4').bind(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address();
    await new Promise<void>((resolve) => closed.close(() => resolve()));
    const exporter = udpExporter({ address: `127.0.0.1:${port}` });
    const app = createApp({ log: false, observability: { span: tracing({ exporter, ratio: 1 }) } });
    app.get('/', () => json(200, {}));
    // Linux reports a closed port with a later datagram.
    for (let sent = 0; sent < 1000 && exporter.counts.droppedSpans === 0; sent += 1) {
      expect(await app.handleLambda(get('/'), {})).toMatchObject({ statusCode: 200, body: '{}' });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(exporter.counts.droppedSpans).toBeGreaterThan(0);
    expect(exporter.counts.failedExports).toBe(exporter.counts.droppedSpans);
  });
});

describe('the variable AWS_XRAY_DAEMON_ADDRESS', () => {
  afterEach(() => {
    delete process.env.AWS_XRAY_DAEMON_ADDRESS;
  });

  it.each(['daemon', '127.0.0.1:99999'])('is rejected at construction with the value %p', (address) => {
    process.env.AWS_XRAY_DAEMON_ADDRESS = address;
    expect(() => tracing()).toThrow(expect.failure('app.invalid_configuration', 'AWS_XRAY_DAEMON_ADDRESS'));
  });
});

describe('a body of ctx.span', () => {
  it('that never settles ends as failed at the deadline, with the spans around it', () => {
    const { jest } = import.meta;
    jest.useFakeTimers();
    const spans = collectSpans();
    const app = createApp({ log: false, observability: { span: tracing({ exporter: spans, ratio: 1 }) } });
    app.get('/', (ctx) => ctx.span('outer', () => ctx.span('hanging', () => new Promise<never>(() => {}))));
    void app.handleLambda(get('/'), { getRemainingTimeInMillis: () => 3000 });
    jest.advanceTimersByTime(2950);
    jest.useRealTimers();
    const failed = { code: 2, message: 'app.timeout' };
    expect(spans.spans.map(({ name, status }) => [name, status])).toEqual([
      ['hanging', failed],
      ['outer', failed],
      ['GET /', failed],
    ]);
  });
});

describe('ids', () => {
  it('of zero length are never exported: a sender that names only its trace has no link', async () => {
    const spans = collectSpans();
    const app = createApp({ log: false, observability: { span: tracing({ exporter: spans, ratio: 1 }) } });
    app.queue('orders', () => {});
    const arn = 'arn:aws:sqs:eu-west-1:123456789012:orders';
    const header = (rest: string) => ({
      attributes: { AWSTraceHeader: `Root=1-5759e988-bd862e3fe1be46a994272793${rest}` },
    });
    const messages = [header(';Sampled=1'), header(';Parent=53995c3f42cd8ad8;Sampled=1')];
    await app.handleLambda(buildQueueEvent(arn, messages), {});
    expect(spans.spans.map(({ links }) => links.map(({ spanId }) => spanId))).toEqual([[], ['53995c3f42cd8ad8'], []]);
  });
});
