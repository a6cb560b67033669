// OpenTelemetry's SDK with the exporter of AWS around a hand-written handler: one datagram for each invocation, as in AWS's layer.
import { AwsXrayUdpSpanExporter } from '@aws/aws-distro-opentelemetry-exporter-xray-udp';
import { type Span, SpanKind, type Tracer, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { findUser } from '../application.js';
import type { Handlers, Invoke } from '../invoke.js';
import { startReceiver } from './receiver.js';

interface Event {
  readonly rawPath: string;
  readonly requestContext: { readonly http: { readonly method: string } };
}

const HEADERS = { 'content-type': 'application/json; charset=utf-8' };

async function withSpan<T>(tracer: Tracer, name: string, run: (span: Span) => T | Promise<T>): Promise<T> {
  return tracer.startActiveSpan(name, async (span) => {
    try {
      return await run(span);
    } finally {
      span.end();
    }
  });
}

function createHandler(flush: () => Promise<void>): Invoke {
  const tracer = trace.getTracer('bench');
  return async (event: Event) => {
    const { method } = event.requestContext.http;
    const attributes = {
      'http.request.method': method,
      'http.route': '/users/{id}',
      'url.scheme': 'https',
      'faas.trigger': 'http',
    };
    const answer = await tracer.startActiveSpan(
      'GET /users/{id}',
      { kind: SpanKind.SERVER, attributes },
      async (root) => {
        const id = await withSpan(tracer, 'read', (span) => {
          span.setAttribute('user.kind', 'known');
          return event.rawPath.slice('/users/'.length);
        });
        const user = await withSpan(tracer, 'find', () => findUser(id));
        const body = await withSpan(tracer, 'answer', () => JSON.stringify(user));
        root.setAttribute('http.response.status_code', 200);
        root.end();
        return { statusCode: 200, headers: HEADERS, body };
      },
    );
    await flush();
    return answer;
  };
}

export const handlers: Handlers = {
  'spans-off': () => createHandler(async () => {}),
  async spans() {
    const processor = new BatchSpanProcessor(new AwsXrayUdpSpanExporter(await startReceiver()));
    const provider = new BasicTracerProvider({ spanProcessors: [processor] });
    provider.register({ contextManager: new AsyncLocalStorageContextManager() });
    return createHandler(() => provider.forceFlush());
  },
};
