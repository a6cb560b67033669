import { SpanKind, type SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { toOtlpJson } from '../src/encoding/json.js';
import { type AttributeValue, encode, string, toNanoseconds, unsigned } from '../src/encoding/protobuf.js';
import { type SpanData, TRACES, toTraces } from '../src/encoding/traces.js';
import { RESOURCE, SCOPE, SPAN } from './support/spans.js';
import { decodeTraces, spansIn } from './support/theirs.js';

const KINDS = [
  SpanKind.INTERNAL,
  SpanKind.INTERNAL,
  SpanKind.SERVER,
  SpanKind.CLIENT,
  SpanKind.PRODUCER,
  SpanKind.CONSUMER,
];

/** The same span for OpenTelemetry's serializers. */
function toReadable(span: SpanData): ReadableSpan {
  const hrTime = (ms: number): [number, number] => {
    const ns = toNanoseconds(ms);
    return [Number(ns / 1_000_000_000n), Number(ns % 1_000_000_000n)];
  };
  const contextOf = (of: { traceId: string; spanId: string; traceState?: string | undefined }) => ({
    traceId: of.traceId,
    spanId: of.spanId,
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
    ...(of.traceState && { traceState: { serialize: () => of.traceState ?? '' } as never }),
  });
  const readable: ReadableSpan = {
    name: span.name,
    kind: KINDS[span.kind] as SpanKind,
    spanContext: () => contextOf(span),
    ...(span.parentSpanId && { parentSpanContext: contextOf({ traceId: span.traceId, spanId: span.parentSpanId }) }),
    startTime: hrTime(span.startTimeUnixNano),
    endTime: hrTime(span.endTimeUnixNano),
    duration: [0, 0],
    ended: true,
    status: { code: span.status.code as SpanStatusCode, ...(span.status.message && { message: span.status.message }) },
    attributes: span.attributes as ReadableSpan['attributes'],
    links: span.links.map((link) => ({ context: contextOf(link), attributes: {} })),
    events: span.events.map(({ timeUnixNano, name, attributes }) => ({
      time: hrTime(timeUnixNano),
      name,
      attributes: { ...attributes } as never,
    })),
    resource: { attributes: RESOURCE.attributes, merge: () => undefined as never, getRawAttributes: () => [] } as never,
    instrumentationScope: SCOPE,
    droppedAttributesCount: span.droppedAttributesCount,
    droppedEventsCount: span.droppedEventsCount,
    droppedLinksCount: span.droppedLinksCount,
  };
  return readable;
}

const plain: SpanData = {
  ...SPAN,
  traceState: undefined,
  parentSpanId: undefined,
  attributes: {},
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  links: [],
  droppedLinksCount: 0,
  status: { code: 0 },
  flags: 0x101,
};

const VALUES: Readonly<Record<string, AttributeValue>> = {
  'an empty string': '',
  'a string outside ASCII': 'naïve 漢字 🚪',
  'a lone surrogate': '\ud800',
  true: true,
  false: false,
  zero: 0,
  'a small integer': 127,
  'an integer of two bytes': 128,
  'the largest safe integer': Number.MAX_SAFE_INTEGER,
  'a negative integer': -1,
  'the smallest safe integer': Number.MIN_SAFE_INTEGER,
  'a fraction': 0.1,
  'a list of strings': ['orders', ''],
  'an empty list': [],
};

/** Their descriptors are older than the schema URL of our scope and the flags, so only the span is compared. */
const decodedSpan = (bytes: Uint8Array | undefined) => spansIn(decodeTraces(bytes ?? new Uint8Array()))[0];

describe('the protobuf bytes, decoded with the descriptors of OpenTelemetry', () => {
  const cases: readonly (readonly [string, SpanData])[] = [
    ['a span with every member', SPAN],
    ['a span without optional members', plain],
    ['a span outside ASCII', { ...plain, name: 'prüfen 漢字 🚪' }],
    ['a time with a fraction of a millisecond', { ...plain, startTimeUnixNano: 1_795_878_000_000.5 }],
    ...Object.entries(VALUES).map(
      ([title, value]) => [`an attribute: ${title}`, { ...plain, attributes: { value } }] as const,
    ),
    ['more than the first buffer', { ...plain, attributes: { text: 'é'.repeat(20_000) } }],
  ];

  it.each(cases)('equal those of their serializer for %s', (_title, span) => {
    const ours = encode(TRACES, toTraces(RESOURCE, SCOPE, [span]));
    const theirs = ProtobufTraceSerializer.serializeRequest([toReadable(span)]);
    expect(decodedSpan(ours)).toEqual(decodedSpan(theirs));
  });

  it('do not contain zero, an empty string or an empty list, as proto3 requires', () => {
    expect(encode((out) => unsigned(out, 1, 0), undefined)).toHaveLength(0);
    expect(encode((out) => string(out, 1, ''), undefined)).toHaveLength(0);
    expect([...encode((out) => unsigned(out, 1, 1), undefined)]).toEqual([8, 1]);
  });

  it('have the literal values of a span', () => {
    const span = decodedSpan(encode(TRACES, toTraces(RESOURCE, SCOPE, [SPAN])));
    expect(span).toMatchObject({
      traceId: Buffer.from('0af7651916cd43dd8448eb211c80319c', 'hex').toString('base64'),
      startTimeUnixNano: '1795878000123250000',
      endTimeUnixNano: '1795878000124500000',
      droppedAttributesCount: 3,
      droppedLinksCount: 2,
    });
  });
});

describe('the JSON encoding', () => {
  it.each([
    ['a span with every member', SPAN],
    ['values of every kind', { ...plain, attributes: { ...VALUES, 'a lone surrogate': '' } }],
  ])('equals that of OpenTelemetry for %s', (_title, span) => {
    const ours = JSON.parse(toOtlpJson(toTraces(RESOURCE, SCOPE, [span])));
    const theirs = JSON.parse(new TextDecoder().decode(JsonTraceSerializer.serializeRequest([toReadable(span)])));
    expect(normal(ours)).toEqual(normal(theirs));
  });
});

interface JsonRequest {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly object[] }[] }[];
}

/** Values of integers are strings in one encoder and numbers in the other; both are allowed. */
function normal({ resourceSpans }: JsonRequest): unknown {
  const [span] = resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
  return JSON.parse(
    JSON.stringify(span, (key, value) => {
      if (key === 'intValue') return String(value);
      if (key === 'attributes' && Array.isArray(value) && value.length === 0) return undefined;
      return key === 'droppedAttributesCount' && value === 0 ? undefined : value;
    }),
  );
}
