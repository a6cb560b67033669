import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { type MetricRecord, silentLogger } from '@sallyport/core';
import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { buildAPIGatewayV2Request } from '@sallyport/testkit';
import { otlpExporter } from '../src/http.js';
import { tracing } from '../src/index.js';
import { RESOURCE, SCOPE, SPAN } from './support/spans.js';
import { decodeTraces, spansIn } from './support/theirs.js';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const requests: { readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: Buffer }[] = [];
let answers: Answer[] = [];
const collector = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  requests.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
  (answers.shift() ?? status(200))(response, request);
});
let endpoint: string;

const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end();
const stall: Answer = () => {};
const reset: Answer = (_response, request) => request.socket.destroy();

beforeAll(async () => {
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
beforeEach(() => {
  answers = [];
  requests.splice(0);
});
afterAll(() => {
  collector.closeAllConnections();
  collector.close();
});

const batchOf = (count: number, text = '') => ({
  resource: RESOURCE,
  scope: SCOPE,
  spans: Array.from({ length: count }, () => ({ ...SPAN, attributes: { text } })),
});

it('sends protobuf that a collector decodes, and small bodies uncompressed', async () => {
  const exporter = otlpExporter({ endpoint, headers: { 'x-api-key': 'k' }, exportTimeoutMs: 5000 });
  await exporter.export(batchOf(1));
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({
    url: '/v1/traces',
    headers: { 'content-type': 'application/x-protobuf', 'x-api-key': 'k' },
  });
  expect(requests[0]?.headers['content-encoding']).toBeUndefined();
  expect(spansIn(decodeTraces(requests[0]?.body ?? Buffer.alloc(0)))).toHaveLength(1);
  expect(exporter.counts).toMatchObject({ sentSpans: 1, droppedSpans: 0 });
});

it('compresses bodies above 1 KiB', async () => {
  await otlpExporter({ endpoint, exportTimeoutMs: 5000 }).export(batchOf(3, 'x'.repeat(1000)));
  expect(requests[0]?.headers['content-encoding']).toBe('gzip');
  expect(spansIn(decodeTraces(gunzipSync(requests[0]?.body ?? Buffer.alloc(0))))).toHaveLength(3);
});

it('sends JSON with the protocol http/json', async () => {
  await otlpExporter({ endpoint, protocol: 'http/json', exportTimeoutMs: 5000 }).export(batchOf(1));
  expect(requests[0]?.headers['content-type']).toBe('application/json');
  expect(JSON.parse(String(requests[0]?.body))).toMatchObject({
    resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: SPAN.traceId, name: SPAN.name }] }] }],
  });
});

it('splits bodies above 4 MiB', async () => {
  const exporter = otlpExporter({ endpoint, exportTimeoutMs: 20_000 });
  await exporter.export(batchOf(10, 'x'.repeat(800_000)));
  expect(requests).toHaveLength(2);
  expect(exporter.counts.sentSpans).toBe(10);
});

const OUTCOMES: readonly (readonly [
  string,
  Answer[],
  { requests: number; sent: number; dropped: number; again: number },
])[] = [
  ['200', [], { requests: 1, sent: 1, dropped: 0, again: 0 }],
  ['400', [status(400)], { requests: 1, sent: 0, dropped: 1, again: 0 }],
  ['a redirect', [status(307, { location: 'http://127.0.0.1:1/' })], { requests: 1, sent: 0, dropped: 1, again: 0 }],
  ['429 with a pause that fits', [status(429, { 'retry-after': '0' })], { requests: 2, sent: 1, dropped: 0, again: 0 }],
  ['503 with a pause that fits', [status(503, { 'retry-after': '0' })], { requests: 2, sent: 1, dropped: 0, again: 0 }],
  ['503 twice', [status(503, { 'retry-after': '0' }), status(503)], { requests: 2, sent: 0, dropped: 0, again: 1 }],
  ['429 with a long pause', [status(429, { 'retry-after': '60' })], { requests: 1, sent: 0, dropped: 0, again: 1 }],
  ['429 without a pause', [status(429)], { requests: 1, sent: 0, dropped: 0, again: 1 }],
  ['a reset', [reset], { requests: 1, sent: 0, dropped: 0, again: 1 }],
];

it.each(OUTCOMES)('answers of the collector: %s', async (_title, given, expected) => {
  answers = given;
  const exporter = otlpExporter({ endpoint, exportTimeoutMs: 5000 });
  await exporter.export(batchOf(1));
  expect(requests).toHaveLength(expected.requests);
  expect(exporter.counts).toMatchObject({ sentSpans: expected.sent, droppedSpans: expected.dropped });
  // A request that was not accepted in time is repeated when the next invocation starts.
  const next = expected.again > 0 ? once(collector, 'request') : undefined;
  exporter.begin?.();
  await next;
  exporter.begin?.();
  await exporter.export({ ...batchOf(0), spans: [] });
  expect(requests.length - expected.requests - 1).toBe(expected.again);
});

const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

it.each<readonly [string, Record<string, string>, string | Buffer, number]>([
  ['protobuf', PROTOBUF, Buffer.from([0x0a, 0x02, 0x08, 0x02]), 2],
  ['protobuf with a message', PROTOBUF, Buffer.from([0x0a, 0x05, 0x08, 0x01, 0x12, 0x01, 0x78]), 1],
  ['protobuf with a message alone, which is a warning', PROTOBUF, Buffer.from([0x0a, 0x03, 0x12, 0x01, 0x78]), 0],
  ['protobuf that is cut', PROTOBUF, Buffer.from([0x0a, 0x05, 0x08]), 0],
  ['protobuf with a number without an end', PROTOBUF, Buffer.alloc(40, 0xff), 0],
  ['JSON with a string', JSON_TYPE, '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}', 2],
  ['JSON with a number', JSON_TYPE, '{"partialSuccess":{"rejectedSpans":3}}', 3],
  ['JSON with more than were sent', JSON_TYPE, '{"partialSuccess":{"rejectedSpans":"99"}}', 3],
  ['JSON with a negative number', JSON_TYPE, '{"partialSuccess":{"rejectedSpans":-1}}', 0],
  ['JSON with null', JSON_TYPE, '{"partialSuccess":null}', 0],
  ['text that is no JSON', JSON_TYPE, 'accepted', 0],
  ['nothing', {}, '', 0],
])('counts the spans of a partial success, and does not repeat them: %s', async (_title, headers, body, rejected) => {
  answers = [(response) => void response.writeHead(200, headers).end(body)];
  const exporter = otlpExporter({ endpoint, exportTimeoutMs: 5000 });
  await exporter.export(batchOf(3));
  const counts = { sentSpans: 3 - rejected, droppedSpans: rejected, rejectedSpans: rejected, failedExports: 0 };
  expect(exporter.counts).toMatchObject(counts);
  exporter.begin?.();
  await exporter.export(batchOf(1));
  expect(requests).toHaveLength(2);
});

it('has losses as a metric of the next invocation, once, and one line', async () => {
  const lines: (readonly [string, unknown])[] = [];
  const log = { ...silentLogger, warn: (message: string, fields?: object) => void lines.push([message, fields]) };
  const records: MetricRecord[] = [];
  const exporter = otlpExporter({ endpoint, exportTimeoutMs: 5000 });
  const span = tracing({ exporter, ratio: 1, log });
  const app = createApp({ log: false, observability: { span, metric: (record) => records.push(record) } });
  app.get('/', (ctx) => ctx.span('work', () => json(200, {})));
  answers = [
    (response) => void response.writeHead(200, JSON_TYPE).end('{"partialSuccess":{"rejectedSpans":"1"}}'),
    status(400),
  ];
  for (let call = 0; call < 4; call += 1) await app.handleLambda(buildAPIGatewayV2Request('GET', '/'), {});
  const losses = records.filter(({ name }) => name === 'framework.trace');
  expect(losses).toEqual([
    { name: 'framework.trace', value: 1, tags: {}, measures: { export_failures: 0 } },
    { name: 'framework.trace', value: 2, tags: {}, measures: { export_failures: 1 } },
  ]);
  expect(lines).toEqual([
    ['otel.spans_lost', { dropped_spans: 1, rejected_spans: 1, failed_exports: 0, late_spans: 0 }],
  ]);
});

it('waits no longer than the time-out for a collector that does not answer', async () => {
  answers = [stall];
  const exporter = otlpExporter({ endpoint, exportTimeoutMs: 20 });
  await exporter.export(batchOf(1));
  expect(exporter.counts).toMatchObject({ sentSpans: 0, droppedSpans: 0 });
});

it('does not let the answer wait with the option background', async () => {
  expect(otlpExporter({ endpoint, background: true }).export(batchOf(1))).toBeUndefined();
  await once(collector, 'request');
});

it('reads the variables of OpenTelemetry', async () => {
  const before = { ...process.env };
  Object.assign(process.env, {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/base/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=a%20b,x-team=orders',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  });
  await otlpExporter({ exportTimeoutMs: 5000 }).export(batchOf(1));
  process.env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT = `${endpoint}/only/traces`;
  await otlpExporter({ exportTimeoutMs: 5000 }).export(batchOf(1));
  process.env = before;
  const own = requests.filter(({ url }) => url !== '/v1/traces');
  expect(own.map(({ url }) => url)).toEqual(['/base/v1/traces', '/only/traces']);
  expect(own[0]?.headers).toMatchObject({
    'x-api-key': 'a b',
    'x-team': 'orders',
    'content-type': 'application/json',
  });
});

it.each([
  ['no address', {}, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  ['an address that is not a URL', { endpoint: 'collector:4318' }, 'endpoint'],
  ['an address with a password', { endpoint: 'http://user:secret@localhost:4318' }, 'endpoint'],
  ['gRPC', { endpoint: 'http://localhost:4317', protocol: 'grpc' as 'http/json' }, 'protocol'],
  ['a header with a line break', { endpoint: 'http://localhost:4318', headers: { a: 'secret\n' + 'b' } }, 'headers'],
])('rejects %s at construction, without the value', (_title, options, named) => {
  const construct = () => otlpExporter(options);
  expect(construct).toThrow(expect.failure('app.invalid_configuration', named));
  expect(construct).not.toThrow('secret');
});
