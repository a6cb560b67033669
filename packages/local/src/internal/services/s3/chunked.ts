// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html
import { AwsFault } from '../../aws/wire.js';

const MAX_LINE_BYTES = 16_384;

/** A chunked body, and its trailers. */
export interface ChunkedBody {
  readonly body: AsyncIterable<Buffer>;
  /** Names in lower case and values; filled when the body has been read. */
  readonly trailers: Readonly<Record<string, string>>;
}

/** Reads a body of `content-encoding: aws-chunked` whose chunks are not signed. */
export function decodeChunked(source: AsyncIterable<Buffer>): ChunkedBody {
  const trailers: Record<string, string> = {};
  return { body: readChunks(new Lines(source), trailers), trailers };
}

async function* readChunks(input: Lines, trailers: Record<string, string>): AsyncGenerator<Buffer> {
  for (let left = await readSize(input); left > 0; left = await readSize(input)) {
    while (left > 0) {
      const bytes = await input.take(left);
      left -= bytes.length;
      yield bytes;
    }
    if ((await input.line()) !== '') throw broken();
  }
  for (let line = await input.line(); line !== ''; line = await input.line()) {
    const colon = line.indexOf(':');
    if (colon < 1) throw broken();
    trailers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
}

async function readSize(input: Lines): Promise<number> {
  const [size = ''] = (await input.line()).split(';');
  if (!/^[0-9a-f]{1,12}$/i.test(size)) throw broken();
  return Number.parseInt(size, 16);
}

/** Lines and bytes of a body, in turns. */
class Lines {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next line without its end. */
  async line(): Promise<string> {
    let end = this.#rest.indexOf('\r\n');
    while (end < 0) {
      if (this.#rest.length > MAX_LINE_BYTES || !(await this.#fill())) throw broken();
      end = this.#rest.indexOf('\r\n');
    }
    const line = this.#rest.subarray(0, end).toString('latin1');
    this.#rest = this.#rest.subarray(end + 2);
    return line;
  }

  /** At least one byte and at most `most` bytes. */
  async take(most: number): Promise<Buffer> {
    if (this.#rest.length === 0 && !(await this.#fill())) throw broken();
    const bytes = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(bytes.length);
    return bytes;
  }

  async #fill(): Promise<boolean> {
    const { value, done } = await this.#source.next();
    if (done) return false;
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    return true;
  }
}

function broken(): AwsFault {
  return new AwsFault(400, 'IncompleteBody', 'The chunks of the body are not complete.');
}
