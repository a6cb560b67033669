/** Reads the lengths of the frames that a client sends: https://datatracker.ietf.org/doc/html/rfc6455#section-5.2. */
export class FrameLengths {
  #header = Buffer.alloc(0);
  #left = 0;

  /** @returns the length of the longest frame that begins in this chunk; 0 if none begins */
  longest(chunk: Buffer): number {
    let longest = 0;
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#left > 0) {
        const skipped = Math.min(this.#left, rest.length);
        this.#left -= skipped;
        rest = rest.subarray(skipped);
        continue;
      }
      this.#header = Buffer.concat([this.#header, rest.subarray(0, 1)]);
      rest = rest.subarray(1);
      const length = lengthOf(this.#header);
      if (length === undefined) continue;
      const isMasked = ((this.#header[1] ?? 0) & 0x80) !== 0;
      this.#header = Buffer.alloc(0);
      this.#left = length + (isMasked ? 4 : 0);
      longest = Math.max(longest, length);
    }
    return longest;
  }
}

/** The payload length of a frame, without the mask; `undefined` if the header is incomplete. */
function lengthOf(header: Buffer): number | undefined {
  const short = (header[1] ?? 0) & 0x7f;
  if (header.length < 2) return undefined;
  if (short < 126) return short;
  if (short === 126) return header.length < 4 ? undefined : header.readUInt16BE(2);
  return header.length < 10 ? undefined : Number(header.readBigUInt64BE(2));
}
