import type { SpanData } from '../../src/encoding/traces.js';

/** A span with every member. */
export const SPAN: SpanData = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  traceState: 'vendor=1',
  parentSpanId: '00f067aa0ba902b7',
  name: 'GET /notes/{id}',
  kind: 2,
  startTimeUnixNano: 1_795_878_000_123.25,
  endTimeUnixNano: 1_795_878_000_124.5,
  attributes: { 'http.route': '/notes/{id}', 'http.response.status_code': 200 },
  droppedAttributesCount: 3,
  events: [{ timeUnixNano: 1_795_878_000_124, name: 'init', attributes: { ms: 12.5 } }],
  droppedEventsCount: 1,
  links: [
    { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', traceState: 'a=b', flags: 0x301 },
  ],
  droppedLinksCount: 2,
  status: { message: 'app.internal', code: 2 },
  flags: 0x301,
};

/** The function of the tests. */
export const RESOURCE = { attributes: { 'service.name': 'orders' } };
/** The instrumentation of the tests. */
export const SCOPE = { name: '@sallyport/otel', version: '1.2.3' };
