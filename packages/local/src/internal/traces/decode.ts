import { isObject, type Members, membersOf, stringOf } from '@sallyport/core/internal';
import { type FieldValue, fieldsOf } from './protobuf-fields.js';
import type { TracedSpan } from './traced-span.js';

// The numbers come from https://github.com/open-telemetry/opentelemetry-proto/tree/v1.9.0/opentelemetry/proto.

const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'];
const FAILED = 2;
/** Attributes, events and links of one span that are read. */
const MAX_MEMBERS = 128;

/** The spans of a protobuf request of OTLP. @throws RangeError for other bytes */
export function decodeProtobuf(bytes: Buffer): readonly TracedSpan[] {
  return messages(bytes, 1)
    .flatMap((resource) => messages(resource, 2))
    .flatMap((scope) => messages(scope, 2))
    .map(spanOf);
}

function messages(bytes: Buffer, field: number): readonly Buffer[] {
  return (fieldsOf(bytes).get(field) ?? []).filter((value) => Buffer.isBuffer(value));
}

function spanOf(bytes: Buffer): TracedSpan {
  const fields = fieldsOf(bytes);
  const list = (field: number) =>
    (fields.get(field) ?? []).filter((value) => Buffer.isBuffer(value)).slice(0, MAX_MEMBERS);
  const [status] = list(15).map(fieldsOf);
  const isFailed = numberOf(status?.get(3)) === FAILED;
  return {
    traceId: bytesOf(fields.get(1)).toString('hex'),
    spanId: bytesOf(fields.get(2)).toString('hex'),
    parentId: bytesOf(fields.get(4)).toString('hex'),
    links: list(13).map((link) => bytesOf(fieldsOf(link).get(2)).toString('hex')),
    name: bytesOf(fields.get(5)).toString(),
    kind: kindOf(numberOf(fields.get(6))),
    startedAt: millisOf(fields.get(7)?.[0]),
    endedAt: millisOf(fields.get(8)?.[0]),
    attributes: Object.fromEntries(list(9).map(attributeOf)),
    events: list(11)
      .map(fieldsOf)
      .map((event) => ({ at: millisOf(event.get(1)?.[0]), name: bytesOf(event.get(2)).toString() })),
    error: isFailed ? bytesOf(status?.get(2)).toString() || 'failed' : null,
  };
}

function attributeOf(bytes: Buffer): [string, unknown] {
  const fields = fieldsOf(bytes);
  return [bytesOf(fields.get(1)).toString(), anyValueOf(bytesOf(fields.get(2)))];
}

/** `AnyValue`; lists have at most one level here. */
function anyValueOf(bytes: Buffer): unknown {
  const [[field, [value]] = [0, []]] = [...fieldsOf(bytes)];
  if (field === 2) return value !== 0n;
  if (field === 3) return Number(BigInt.asIntN(64, value as bigint));
  if (field === 4) {
    const double = Buffer.alloc(8);
    double.writeBigUInt64LE(value as bigint);
    return double.readDoubleLE();
  }
  if (field === 5) return messages(value as Buffer, 1).map((one) => bytesOf(fieldsOf(one).get(1)).toString());
  return bytesOf(value === undefined ? undefined : [value]).toString();
}

const bytesOf = (values: readonly FieldValue[] | undefined): Buffer =>
  Buffer.isBuffer(values?.[0]) ? values[0] : Buffer.alloc(0);
const numberOf = (values: readonly FieldValue[] | undefined): number =>
  typeof values?.[0] === 'bigint' ? Number(values[0]) : 0;
const kindOf = (kind: number): string => KINDS[kind] ?? 'internal';

/** Milliseconds from nanoseconds; other values are 0. */
function millisOf(value: unknown): number {
  const text = typeof value === 'bigint' ? String(value) : String(value ?? '0');
  return /^\d{1,20}$/.test(text) ? Number(BigInt(text) / 1000n) / 1000 : 0;
}

/** The spans of a JSON request of OTLP; members of a wrong type are left out. */
export function decodeJson(body: unknown): readonly TracedSpan[] {
  return listIn(body, 'resourceSpans')
    .flatMap((resource) => listIn(resource, 'scopeSpans'))
    .flatMap((scope) => listIn(scope, 'spans'))
    .map(jsonSpan);
}

function listIn(value: unknown, name: string): readonly Members[] {
  const list = membersOf(value)[name];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function jsonSpan(span: Members): TracedSpan {
  const status = membersOf(span.status);
  return {
    traceId: stringOf(span.traceId).toLowerCase(),
    spanId: stringOf(span.spanId).toLowerCase(),
    parentId: stringOf(span.parentSpanId).toLowerCase(),
    links: listIn(span, 'links')
      .slice(0, MAX_MEMBERS)
      .map(({ spanId }) => stringOf(spanId)),
    name: stringOf(span.name),
    kind: kindOf(Number(span.kind)),
    startedAt: millisOf(span.startTimeUnixNano),
    endedAt: millisOf(span.endTimeUnixNano),
    attributes: Object.fromEntries(
      listIn(span, 'attributes')
        .slice(0, MAX_MEMBERS)
        .map(({ key, value }) => [stringOf(key), jsonValue(membersOf(value))]),
    ),
    events: listIn(span, 'events')
      .slice(0, MAX_MEMBERS)
      .map(({ timeUnixNano, name }) => ({ at: millisOf(timeUnixNano), name: stringOf(name) })),
    error: status.code === FAILED ? stringOf(status.message) || 'failed' : null,
  };
}

function jsonValue({ stringValue, boolValue, intValue, doubleValue, arrayValue }: Members): unknown {
  if (intValue !== undefined) return Number(intValue);
  if (arrayValue !== undefined) return listIn(arrayValue, 'values').map((one) => one.stringValue);
  return stringValue ?? boolValue ?? doubleValue;
}
