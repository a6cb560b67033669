import { fromJson, membersOf } from '@sallyport/core/internal';

/** A longer answer is not read. */
const MAX_BYTES = 64 * 1024;
const VARINT = 0;
const BYTES = 2;

/**
 * The spans or points that a receiver rejected although it accepted the request: `rejected_spans` or `rejected_data_points` of `partial_success`. 0
 * for an answer that is something else.
 *
 * @see https://opentelemetry.io/docs/specs/otlp/#partial-success
 */
export function rejectedIn(answer: Buffer, isJson: boolean): number {
  if (answer.length === 0 || answer.length > MAX_BYTES) return 0;
  const given = isJson ? rejectedInJson(answer.toString()) : rejectedInProtobuf(answer);
  const rejected = Number(given);
  return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
}

/** 64-bit integers are strings in the JSON encoding of protobuf; some receivers write numbers. */
function rejectedInJson(text: string): unknown {
  const { rejectedSpans, rejectedDataPoints } = membersOf(membersOf(fromJson(text)).partialSuccess);
  return rejectedSpans ?? rejectedDataPoints;
}

/** Field 1 of field 1, in messages of traces and of metrics. */
function rejectedInProtobuf(answer: Buffer): unknown {
  const partial = firstField(answer, BYTES);
  return typeof partial === 'object' ? firstField(partial, VARINT) : undefined;
}

/** The value of field 1 if it has this type; encoders write fields in the order of their numbers. */
function firstField(bytes: Buffer, type: number): Buffer | number | undefined {
  if (bytes[0] !== 8 + type) return undefined;
  let value = 0;
  let at = 1;
  for (let scale = 1; at < bytes.length && at < 10; at += 1, scale *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 127) * scale;
    if (byte < 128) return type === BYTES ? bytes.subarray(at + 1, at + 1 + value) : value;
  }
  return undefined;
}
