import { MAX_LINE_BYTES, ProtocolError } from '../protocol.js';

const NEWLINE = 10;

/** Cuts a byte stream into lines of JSON objects. */
export class LineReader {
  readonly #onMessage: (message: unknown) => void;
  readonly #onBreach: (error: ProtocolError) => void;
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true });
  #parts: Uint8Array[] = [];
  #size = 0;

  constructor(onMessage: (message: unknown) => void, onBreach: (error: ProtocolError) => void) {
    this.#onMessage = onMessage;
    this.#onBreach = onBreach;
  }

  push(bytes: Uint8Array): void {
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      this.#add(bytes.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#add(bytes.subarray(start));
    if (this.#size > MAX_LINE_BYTES) this.#endLine();
  }

  /** Bytes behind the last newline are a line that was never ended. */
  end(): void {
    if (this.#size > 0) this.#onBreach(new ProtocolError('the last line has no end'));
  }

  #add(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#size += bytes.length;
  }

  #endLine(): void {
    const line = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = 0;
    const message = line.length > MAX_LINE_BYTES ? undefined : this.#parse(line);
    if (line.length > MAX_LINE_BYTES) this.#onBreach(new ProtocolError('a line is longer than 8 MiB'));
    else if (message === undefined) this.#onBreach(new ProtocolError('a line is no JSON object'));
    else this.#onMessage(message);
  }

  #parse(line: Uint8Array): object | undefined {
    try {
      const message: unknown = JSON.parse(this.#utf8.decode(line));
      return typeof message === 'object' && message !== null && !Array.isArray(message) ? message : undefined;
    } catch {
      return undefined;
    }
  }
}

/**
 * One message as a line.
 *
 * @throws ProtocolError for one that is too long
 */
export function toLine(message: object): string {
  const line = JSON.stringify(message);
  if (Buffer.byteLength(line) > MAX_LINE_BYTES) throw new ProtocolError('a message is longer than 8 MiB');
  return `${line}\n`;
}
