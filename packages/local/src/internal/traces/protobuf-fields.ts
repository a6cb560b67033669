/** The values of one field of a message: numbers, or the bytes of strings and messages. */
export type FieldValue = bigint | Buffer;

/**
 * The fields of a protobuf message by number, each with all its values.
 *
 * @see https://protobuf.dev/programming-guides/encoding/
 * @throws RangeError for bytes that are not a message
 */
export function fieldsOf(bytes: Buffer): ReadonlyMap<number, readonly FieldValue[]> {
  const fields = new Map<number, FieldValue[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new RangeError('a number has more than ten bytes');
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new RangeError('the message is cut');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const read: Readonly<Record<number, () => FieldValue>> = {
    0: varint,
    1: () => take(8).readBigUInt64LE(),
    2: () => take(Number(varint())),
    5: () => BigInt(take(4).readUInt32LE()),
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const value = read[tag & 7]?.();
    if (value === undefined) throw new RangeError('a field has an unknown type');
    const number = tag >>> 3;
    const values = fields.get(number);
    if (values) values.push(value);
    else fields.set(number, [value]);
  }
  return fields;
}
