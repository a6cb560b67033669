/**
 * An encoder for protobuf messages. It writes a buffer from its end, so that the length of a nested message
 * is known before its tag is written.
 *
 * @see https://protobuf.dev/programming-guides/encoding/
 */

/** Writes one field of a message. Values that proto3 leaves out (zero, an empty string, an empty list) are not written. */
export type Kind<T> = (out: Output, field: number, value: T) => void;

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** A buffer that is filled from its end. */
export class Output {
  #buffer = Buffer.allocUnsafeSlow(4096);
  /** The index of the first byte that is written. */
  at = 4096;

  /** Makes room for a number of bytes, and returns the buffer. */
  take(bytes: number): Buffer {
    if (this.at < bytes) {
      const filled = this.#buffer.subarray(this.at);
      const size = Math.max(this.#buffer.length * 2, filled.length + bytes);
      const grown = Buffer.allocUnsafeSlow(size);
      this.at = size - filled.length;
      grown.set(filled, this.at);
      this.#buffer = grown;
    }
    this.at -= bytes;
    return this.#buffer;
  }

  /** An unsigned number below 2^53. */
  varint(value: number): void {
    if (value < 128) {
      const buffer = this.take(1);
      buffer[this.at] = value;
      return;
    }
    let bytes = 1;
    for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) bytes += 1;
    const buffer = this.take(bytes);
    let rest = value;
    for (let index = 0; index < bytes; index += 1) {
      buffer[this.at + index] = (rest % 128) + (index < bytes - 1 ? 128 : 0);
      rest = Math.floor(rest / 128);
    }
  }

  /** Four bytes, the lowest first. */
  uint32(value: number): void {
    const buffer = this.take(4);
    for (let index = 0, rest = value; index < 4; index += 1, rest >>>= 8) buffer[this.at + index] = rest & 255;
  }

  tag(field: number, type: number): void {
    this.varint(field * 8 + type);
  }

  /** The tag and length of a field whose content was written since `end`; field 0 is the message itself. */
  close(field: number, end: number): void {
    if (field === 0) return;
    this.varint(end);
    this.tag(field, BYTES);
  }

  /** The bytes from the end of the buffer, for lengths: it is not changed when the buffer grows. */
  get length(): number {
    return this.#buffer.length - this.at;
  }

  /** The written bytes; the next message overwrites them. */
  finish(): Buffer {
    const written = this.#buffer.subarray(this.at);
    this.at = this.#buffer.length;
    return written;
  }
}

/** A string in UTF-8. */
export const string: Kind<string | undefined> = (out, field, value) => {
  if (value) text(out, field, value);
};

/** Bytes, given as lower-case hexadecimal digits: a loop, because the decoder of the platform is slower for sixteen digits. */
export const hex: Kind<string | undefined> = (out, field, value) => {
  if (!value) return;
  const bytes = value.length >> 1;
  const buffer = out.take(bytes);
  for (let index = 0; index < bytes; index += 1) {
    buffer[out.at + index] = digit(value, 2 * index) * 16 + digit(value, 2 * index + 1);
  }
  out.close(field, bytes);
};

/** `0` is 48, `a` is 97: without a branch, which random digits make slow. */
function digit(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return (code & 15) + (code >> 6) * 9;
}

/** Most names and values are short and ASCII: for them a loop is several times faster than the encoder of the platform. */
const SHORT = 96;

function text(out: Output, field: number, value: string): void {
  const { length } = value;
  if (length <= SHORT) {
    const buffer = out.take(length);
    const { at } = out;
    let index = 0;
    for (; index < length; index += 1) {
      const code = value.charCodeAt(index);
      if (code > 127) break;
      buffer[at + index] = code;
    }
    if (index === length) {
      out.close(field, length);
      return;
    }
    out.at += length;
  }
  const bytes = Buffer.byteLength(value);
  out.take(bytes).write(value, out.at, bytes);
  out.close(field, bytes);
}

/** `uint32`, `uint64` and enumerations; below 2^53. */
export const unsigned: Kind<number> = (out, field, value) => {
  if (value === 0) return;
  out.varint(value);
  out.tag(field, VARINT);
};

/** `bool`. */
export const bool: Kind<boolean> = (out, field, value) => unsigned(out, field, Number(value));

/** `fixed32`. */
export const fixed32: Kind<number> = (out, field, value) => {
  if (value === 0) return;
  out.uint32(value);
  out.tag(field, FIXED32);
};

/** `fixed64` of nanoseconds, given as milliseconds. */
export const time: Kind<number> = (out, field, value) => {
  if (value === 0) return;
  // Two halves, because a number is not exact above 2^53: value = high * 2^20 + low, in milliseconds.
  const whole = Math.floor(value);
  const high = Math.floor(whole / 2 ** 20) * 1_000_000;
  const low = (whole % 2 ** 20) * 1_000_000 + Math.round((value - whole) * 1_000_000);
  const sum = (high % 4096) * 2 ** 20 + low;
  out.uint32(Math.floor(high / 4096) + Math.floor(sum / 2 ** 32));
  out.uint32(sum % 2 ** 32);
  out.tag(field, FIXED64);
};

/** Nanoseconds from milliseconds; a number of milliseconds since 1970 is exact to 0.25 µs. */
export function toNanoseconds(ms: number): bigint {
  const whole = Math.floor(ms);
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1_000_000));
}

const doubleBytes = (out: Output, value: number) => out.take(8).writeDoubleLE(value, out.at);
const integerBytes = (out: Output, value: number) => out.take(8).writeBigInt64LE(BigInt(value), out.at);

/** `double`, also zero: the kind for members of a `oneof`. */
export const double: Kind<number> = (out, field, value) => {
  doubleBytes(out, value);
  out.tag(field, FIXED64);
};

/** `fixed64` or `sfixed64` of a safe integer, also zero. */
export const integer64: Kind<number> = (out, field, value) => {
  integerBytes(out, value);
  out.tag(field, FIXED64);
};

/** A packed list of `double`. */
export const doubles: Kind<readonly number[]> = (out, field, values) => packed(out, field, values, doubleBytes);

/** A packed list of `fixed64`, each a safe integer. */
export const integers64: Kind<readonly number[]> = (out, field, values) => packed(out, field, values, integerBytes);

function packed(out: Output, field: number, values: readonly number[], write: typeof doubleBytes): void {
  if (values.length === 0) return;
  for (let index = values.length - 1; index >= 0; index -= 1) write(out, values[index] ?? 0);
  out.close(field, values.length * 8);
}

/** The elements of a repeated field. */
export function each<T>(out: Output, field: number, values: readonly T[], kind: Kind<T>): void {
  for (let index = values.length - 1; index >= 0; index -= 1) kind(out, field, values[index] as T);
}

/** The value of an attribute. */
export type AttributeValue = string | number | boolean | readonly string[];

/** Attributes by name. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** `repeated KeyValue` of `opentelemetry/proto/common/v1/common.proto`. */
export const attributes: Kind<Attributes> = (out, field, values) => {
  const keys = Object.keys(values);
  for (let index = keys.length - 1; index >= 0; index -= 1) {
    const key = keys[index] as string;
    const before = out.length;
    anyValue(out, 2, values[key] as AttributeValue);
    string(out, 1, key);
    out.close(field, out.length - before);
  }
};

/** `AnyValue`: string 1, bool 2, int 3, double 4, array 5. A member of a `oneof` is written even if it is empty. */
function anyValue(out: Output, field: number, value: AttributeValue): void {
  const before = out.length;
  if (typeof value === 'string') text(out, 1, value);
  else if (typeof value === 'boolean') {
    out.varint(Number(value));
    out.tag(2, VARINT);
  } else if (typeof value !== 'number') {
    each(out, 1, value, anyValue);
    out.close(5, out.length - before);
  } else if (!Number.isSafeInteger(value)) double(out, 4, value);
  else {
    if (value < 0) negative(out, value);
    else out.varint(value);
    out.tag(3, VARINT);
  }
  out.close(field, out.length - before);
}

/** The two's complement in 64 bits, ten bytes. */
function negative(out: Output, value: number): void {
  let rest = BigInt.asUintN(64, BigInt(value));
  const buffer = out.take(10);
  for (let index = 0; index < 10; index += 1) {
    buffer[out.at + index] = Number(rest & 127n) + (index < 9 ? 128 : 0);
    rest >>= 7n;
  }
}

/**
 * The bytes of a message.
 *
 * @param out a buffer that is used again: its next message overwrites these bytes
 */
export function encode<T>(kind: Kind<T>, value: T, out: Output = new Output()): Buffer {
  kind(out, 0, value);
  return out.finish();
}
