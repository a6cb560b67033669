/**
 * An encoder for protobuf messages that are described as tables. It writes a buffer from its end, so that the length of a nested message
 * is known before its tag is written.
 *
 * @see https://protobuf.dev/programming-guides/encoding/
 */

/** Writes one field of a message. Values that proto3 leaves out (zero, an empty string, an empty list) are not written. */
export type Kind<T> = (out: Output, field: number, value: T) => void;

/** The fields of a message: name, number and kind. */
export type Fields<T> = { readonly [K in keyof T]-?: readonly [number: number, kind: Kind<Exclude<T[K], undefined>>] };

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
    let bytes = 1;
    for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) bytes += 1;
    const buffer = this.take(bytes);
    let rest = value;
    for (let index = 0; index < bytes; index += 1) {
      buffer[this.at + index] = (rest % 128) + (index < bytes - 1 ? 128 : 0);
      rest = Math.floor(rest / 128);
    }
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
export const string: Kind<string> = (out, field, value) => {
  if (value !== '') text(out, field, value, 'utf8', Buffer.byteLength(value));
};

/** Bytes, given as hexadecimal digits. */
export const hex: Kind<string> = (out, field, value) => {
  if (value !== '') text(out, field, value, 'hex', value.length / 2);
};

function text(out: Output, field: number, value: string, encoding: BufferEncoding, bytes: number): void {
  out.take(bytes).write(value, out.at, bytes, encoding);
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
  out.take(4).writeUInt32LE(value, out.at);
  out.tag(field, FIXED32);
};

/** `fixed64` of nanoseconds, given as milliseconds. */
export const time: Kind<number> = (out, field, value) => {
  if (value === 0) return;
  out.take(8).writeBigUInt64LE(toNanoseconds(value), out.at);
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

/** A message. Members that are `undefined` are left out. */
export function message<T extends object>(fields: Fields<T>): Kind<T> {
  const names = (Object.keys(fields) as (keyof T)[]).reverse();
  return (out, field, value) => {
    const before = out.length;
    for (const name of names) {
      const [number, kind] = fields[name];
      const member = value[name];
      if (member !== undefined) kind(out, number, member as Exclude<T[keyof T], undefined>);
    }
    out.close(field, out.length - before);
  };
}

/** A repeated field. */
export function repeated<T>(kind: Kind<T>): Kind<readonly T[]> {
  return (out, field, values) => {
    for (let index = values.length - 1; index >= 0; index -= 1) kind(out, field, values[index] as T);
  };
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
  if (typeof value === 'string') text(out, 1, value, 'utf8', Buffer.byteLength(value));
  else if (typeof value === 'boolean') {
    out.varint(Number(value));
    out.tag(2, VARINT);
  } else if (typeof value !== 'number') {
    repeated(anyValue)(out, 1, value);
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

/** The bytes of a message; a copy. */
export function encode<T>(kind: Kind<T>, value: T): Uint8Array {
  const out = new Output();
  kind(out, 0, value);
  return out.finish();
}
