import { decodeJson, decodeProtobuf } from '../src/internal/traces/decode.js';
import { cleanSpan, type TracedSpan } from '../src/internal/traces/traced-span.js';

it.each([
  ['a number without an end', Buffer.alloc(40, 0xff)],
  ['a length beyond the end', Buffer.from([0x0a, 0x7f, 0x01])],
  ['an unknown type', Buffer.from([0x0b])],
  ['a nested message that is cut', Buffer.from([0x0a, 0x03, 0x12, 0x09, 0x01])],
])('rejects bytes with %s', (_title, bytes) => {
  expect(() => decodeProtobuf(bytes)).toThrow(RangeError);
});

it('reads every byte sequence to its end or rejects it', () => {
  let seed = 1;
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % 256;
  };
  for (let round = 0; round < 2000; round += 1) {
    const inner = Buffer.from(Array.from({ length: round % 60 }, next));
    const wrap = (bytes: Buffer, tag: number) => Buffer.concat([Buffer.from([tag, bytes.length]), bytes]);
    let outcome = '';
    try {
      outcome = Array.isArray(decodeProtobuf(wrap(wrap(wrap(inner, 0x12), 0x12), 0x0a))) ? 'read' : 'neither';
    } catch (error) {
      outcome = (error as Error).name;
    }
    expect(['read', 'RangeError', 'TypeError']).toContain(outcome);
  }
});

const spanOf = (members: object) => decodeJson({ resourceSpans: [{ scopeSpans: [{ spans: [members] }] }] })[0];

it('reads JSON of any shape without an error', () => {
  for (const body of [
    undefined,
    null,
    1,
    [],
    {},
    { resourceSpans: {} },
    { resourceSpans: [null, { scopeSpans: 'x' }] },
  ])
    expect(decodeJson(body)).toEqual([]);
  expect(
    spanOf({ name: 5, startTimeUnixNano: 'x', attributes: [{ key: '__proto__', value: { stringValue: 'a' } }] }),
  ).toEqual({
    traceId: '',
    spanId: '',
    parentId: '',
    links: [],
    name: '',
    kind: 'internal',
    startedAt: 0,
    endedAt: 0,
    attributes: JSON.parse('{"__proto__":"a"}'),
    events: [],
    error: null,
  });
  expect(spanOf({ startTimeUnixNano: '1795878000123250000', status: { code: 2 } })).toMatchObject({
    startedAt: 1_795_878_000_123.25,
    error: 'failed',
  });
});

it('keeps only the ids when it sanitizes a span', () => {
  const hidden = (value: unknown): unknown =>
    typeof value === 'string' ? '***' : JSON.parse(JSON.stringify(value).replaceAll('secret', '***'));
  const span = spanOf({ traceId: 'a'.repeat(32), spanId: 'secret', parentSpanId: 'b'.repeat(16), name: 'secret' });
  expect(cleanSpan(span as TracedSpan, hidden)).toMatchObject({
    traceId: 'a'.repeat(32),
    spanId: '***',
    parentId: 'b'.repeat(16),
    name: '***',
  });
});
