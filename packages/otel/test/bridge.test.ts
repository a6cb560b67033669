import { context, propagation, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { buildAPIGatewayV2Request, buildQueueEvent } from '@sallyport/testkit';
import { fromTracer } from '../src/bridge.js';

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
// Installs AsyncLocalStorageContextManager and the W3C propagator.
provider.register();
const tracer = provider.getTracer('service');

afterAll(async () => {
  await provider.shutdown();
  for (const api of [trace, context, propagation]) api.disable();
});
beforeEach(() => exporter.reset());

/** Name and name of the parent of each finished span. */
function parents(): readonly (readonly [string, string | undefined])[] {
  const spans = exporter.getFinishedSpans();
  const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  return spans.map(({ name, parentSpanContext }) => [name, names.get(parentSpanContext?.spanId ?? '')]);
}

const lines: Record<string, unknown>[] = [];
function appOf() {
  const app = createApp({
    log: false,
    observability: { span: fromTracer(tracer), log: (line) => void lines.push(line) },
  });
  app.get('/', async (ctx) => {
    await ctx.span('work', async (span) => {
      span.set({ lines: 3 });
      await Promise.resolve();
      // A library that is instrumented by OpenTelemetry.
      tracer.startActiveSpan('library', (inner) => inner.end());
    });
    return json(200, {});
  });
  app.queue('orders', () => tracer.startActiveSpan('library', (inner) => inner.end()));
  return app;
}

it('makes the spans of the SDK children of ours, over promises', async () => {
  await appOf().handleLambda(buildAPIGatewayV2Request('GET', '/'), {});
  expect(parents()).toEqual([
    ['library', 'work'],
    ['work', 'http GET /'],
    ['http GET /', undefined],
  ]);
  expect(exporter.getFinishedSpans()[1]?.attributes).toEqual({ lines: 3 });
});

it('makes our spans children of a span that was started outside', async () => {
  await tracer.startActiveSpan('layer', async (outer) => {
    await appOf().handleLambda(buildAPIGatewayV2Request('GET', '/'), {});
    outer.end();
  });
  expect(parents().at(-2)).toEqual(['http GET /', 'layer']);
});

it('nests the records of a batch, and each library under its record', async () => {
  await appOf().handleLambda(buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:orders', [{}, {}]), {});
  expect(parents()).toEqual([
    ['library', 'queue orders'],
    ['queue orders', 'queue orders'],
    ['library', 'queue orders'],
    ['queue orders', 'queue orders'],
    ['queue orders', undefined],
  ]);
});

it('writes the id of the trace of the SDK on log lines', async () => {
  lines.splice(0);
  await appOf().handleLambda(buildAPIGatewayV2Request('GET', '/'), {});
  expect(lines[0]?.trace_id).toBe(exporter.getFinishedSpans()[0]?.spanContext().traceId);
});

it('marks a failed span with its code, and without the message of the exception', async () => {
  const app = createApp({ log: false, observability: { span: fromTracer(tracer) } });
  app.get('/', (ctx) => ctx.span('failing', () => Promise.reject(new Error('secret'))));
  await app.handleLambda(buildAPIGatewayV2Request('GET', '/'), {});
  const spans = exporter.getFinishedSpans();
  expect(spans.map(({ status }) => status)).toEqual([
    { code: 2, message: 'app.internal' },
    { code: 2, message: 'app.internal' },
  ]);
  expect(spans.flatMap(({ events }) => events)).toEqual([]);
});
