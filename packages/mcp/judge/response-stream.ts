import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';

interface Metadata {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, string[]>>;
}

const DELIMITER = Buffer.alloc(8);

/**
 * The response stream of one invocation, with its service: the bytes before eight NUL bytes become the head of the answer. A client that
 * disconnects is not reported: the service reads the rest of the answer and drops it.
 */
export class ResponseStream extends Writable {
  readonly #outgoing: ServerResponse;
  #head: Buffer | undefined = Buffer.alloc(0);
  #prelude: Buffer | undefined;

  constructor(outgoing: ServerResponse) {
    super();
    this.#outgoing = outgoing;
    outgoing.on('error', () => {});
  }

  setContentType(): void {}

  /** The metadata leaves with the first write, as the runtime client has it. */
  beforeFirstWrite(metadata: Metadata): this {
    this.#prelude = Buffer.concat([Buffer.from(JSON.stringify(metadata)), DELIMITER]);
    return this;
  }

  override _write(chunk: Buffer, _: string, done: () => void): void {
    const bytes = this.#prelude ? Buffer.concat([this.#prelude, chunk]) : chunk;
    this.#prelude = undefined;
    this.#take(bytes);
    done();
  }

  override _final(done: () => void): void {
    this.#outgoing.end();
    done();
  }

  #take(bytes: Buffer): void {
    if (this.#head === undefined) {
      this.#send(bytes);
      return;
    }
    this.#head = Buffer.concat([this.#head, bytes]);
    const end = this.#head.indexOf(DELIMITER);
    if (end < 0) return;
    const metadata = JSON.parse(this.#head.toString('utf8', 0, end)) as Metadata;
    const body = this.#head.subarray(end + DELIMITER.length);
    this.#head = undefined;
    this.#outgoing.writeHead(metadata.statusCode, { ...metadata.headers, ...metadata.multiValueHeaders });
    this.#outgoing.flushHeaders();
    this.#send(body);
  }

  #send(bytes: Buffer): void {
    if (bytes.length > 0 && !this.#outgoing.destroyed) this.#outgoing.write(bytes);
  }
}

/** The properties of the Lambda runtime on the global object of a streaming function. */
export const AWSLAMBDA = {
  streamifyResponse: (handler: unknown) => handler,
  HttpResponseStream: { from: (stream: ResponseStream, metadata: Metadata) => stream.beforeFirstWrite(metadata) },
};
