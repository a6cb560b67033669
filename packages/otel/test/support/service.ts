import { json, noContent } from '@sallyport/http';
import { createMcpServer, memoryMcpStore, mountMcp } from '@sallyport/mcp';
import { Public, SecureApp } from '@sallyport/secure';
import {
  buildAPIGatewayV2Request,
  buildAppSyncEvent,
  buildEventBusEvent,
  buildKinesisEvent,
  buildQueueEvent,
  buildTableStreamEvent,
  buildTopicEvent,
  buildWebSocketEvent,
} from '@sallyport/testkit';
import { s3Trigger } from '@sallyport/triggers';
import { buildS3Event } from '@sallyport/triggers/testing';
import { tracing } from '../../src/index.js';
import { collectSpans } from '../../src/testing.js';

/** The trace context that a sender adds to a message or request. */
export const SENDER = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
};
const { traceparent } = SENDER;
const ARN = 'arn:aws:sqs:eu-west-1:123456789012:orders';

/** A service with every surface; each handler runs `work` in `ctx.span`. */
export function serviceOfAllSurfaces(options: Parameters<typeof tracing>[0] = {}) {
  const spans = collectSpans();
  const lines: Record<string, unknown>[] = [];
  const server = createMcpServer({ name: 'notes', version: '1.0.0', store: memoryMcpStore() });
  server.tool('add', { description: 'Adds.' }, (_args, ctx) => ctx.span('work', () => 'done'));
  const surface = s3Trigger().bucket('uploads', (ctx) => ctx.span('work', () => {}));
  const app = new SecureApp({
    principalResolver: () => null,
    surfaces: [surface],
    observability: {
      span: tracing({ exporter: spans, ratio: 1, ...options }),
      log: (line) => void lines.push(line),
    },
    log: false,
  });
  app.get('/notes/{id}', (ctx) => ctx.span('work', () => json(200, {})), Public());
  app.appSyncField('Query', 'note', (ctx) => ctx.span('work', () => json(200, {})), Public());
  app.webSocket('$connect', () => noContent(), Public());
  app.webSocket('say', (ctx) => ctx.span('work', () => noContent()), Public());
  mountMcp(app, server, { posture: Public(), allowedOrigins: [] });
  app.queue('orders', (ctx) => ctx.span('work', () => {}));
  app.kinesis('clicks', (ctx) => ctx.span('work', () => {}));
  app.tableStream('notes', (ctx) => ctx.span('work', () => {}));
  app.topic('news', (ctx) => ctx.span('work', () => {}));
  app.eventBus({ source: 'billing', detailType: 'InvoicePaid' }, (ctx) => ctx.span('work', () => {}));
  return { app, spans, lines };
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'add',
    arguments: {},
    _meta: {
      traceparent,
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};

/** One event of each surface, with the trace of its sender where the service has a place for it. */
export const EVENTS = {
  http: buildAPIGatewayV2Request('GET', '/notes/4711', { headers: { traceparent, host: 'api.example' } }),
  graphql: buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'note', headers: { traceparent } }),
  websocket: buildWebSocketEvent({ routeKey: 'say', headers: { traceparent } }),
  mcp: buildAPIGatewayV2Request('POST', '/mcp', {
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'add',
    },
    json: initialize,
  }),
  queue: buildQueueEvent(ARN, [{ messageAttributes: { traceparent } }]),
  stream: buildKinesisEvent('arn:aws:kinesis:eu-west-1:123456789012:stream/clicks', [{ json: {} }]),
  'table-stream': buildTableStreamEvent('arn:aws:dynamodb:eu-west-1:123456789012:table/notes/stream/1', [{}]),
  topic: buildTopicEvent('arn:aws:sns:eu-west-1:123456789012:news', [{ messageAttributes: { traceparent } }]),
  'event-bus': buildEventBusEvent({ source: 'billing', detailType: 'InvoicePaid', detail: { traceparent } }),
  s3: buildS3Event('uploads', [{ key: 'a.txt' }]),
};
