import { type Attributes, type AttributeValue, toNanoseconds } from './protobuf.js';

/** Members that are times; members of requests of metrics that are 64-bit integers, which JSON has as strings. */
const TIME = /UnixNano$/;
const INTEGER = /^(?:asInt|count|bucketCounts)$/;

/**
 * A request in the JSON encoding of OTLP: attributes as lists, times in nanoseconds as strings, ids as hexadecimal digits.
 *
 * @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export function toOtlpJson(data: object): string {
  return JSON.stringify(data, (key, value: unknown) => {
    if (key === 'attributes' && typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return toKeyValues(value as Attributes);
    }
    if (INTEGER.test(key)) return Array.isArray(value) ? value.map(String) : String(value);
    return TIME.test(key) && typeof value === 'number' ? String(toNanoseconds(value)) : value;
  });
}

function toKeyValues(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toAnyValue(value) }));
}

function toAnyValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number') return { arrayValue: { values: value.map(toAnyValue) } };
  // JSON has no NaN and no infinity; the JSON encoding of protobuf writes them as strings.
  if (Number.isSafeInteger(value)) return { intValue: String(value) };
  return { doubleValue: Number.isFinite(value) ? value : String(value) };
}
