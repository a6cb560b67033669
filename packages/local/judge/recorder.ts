import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** The response to one `next`. */
export interface Invocation {
  /** The event as JSON. */
  readonly event: string;
  /** Headers in addition to the headers of each invocation, as UTF-8 text. */
  readonly headers?: Readonly<Record<string, string>>;
}

const NEXT = '/2018-06-01/runtime/invocation/next';
const MAX_HEADER_BYTES = 1_048_576;
/** Headers of the connection and of the client itself; the `x-local-` headers are only for the host of the local runtime. */
export const LEFT_OUT: readonly string[] = ['accept', 'connection', 'user-agent', 'x-local-key', 'x-local-left'];

/**
 * A Runtime API that records every request: its line, its headers, its body and its trailers, one character per byte. It responds
 * with the invocations in their order and with the same ids each time.
 */
export class Recorder {
  /** The requests in the order in which they began. */
  readonly requests: string[] = [];
  /** Resolves when every invocation is answered and the client requests the next event. */
  readonly done: Promise<void>;
  readonly #invocations: readonly Invocation[];
  readonly #status: number;
  readonly #server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    void this.#take(request, response);
  });
  #end = () => {};
  #handedOut = 0;
  #open = 0;
  #isWaiting = false;

  private constructor(invocations: readonly Invocation[], status: number) {
    this.#invocations = invocations;
    this.#status = status;
    this.done = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** @param status the status of responses to results; Lambda's is 202 */
  static async start(invocations: readonly Invocation[], status: number): Promise<Recorder> {
    const recorder = new Recorder(invocations, status);
    recorder.#server.listen(0, '127.0.0.1');
    await once(recorder.#server, 'listening');
    return recorder;
  }

  /** Host and port, the value of `AWS_LAMBDA_RUNTIME_API`. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const index = this.requests.push('') - 1;
    if (request.url === NEXT) {
      this.requests[index] = this.#describe(request, '');
      this.#next(response);
      return;
    }
    this.#open += 1;
    const body = await buffer(request).then(
      (bytes) => bytes.toString('latin1'),
      () => '(cut)',
    );
    this.requests[index] = this.#describe(request, body);
    this.#open -= 1;
    response.writeHead(this.#status).end();
    this.#endWhenQuiet();
  }

  #next(response: ServerResponse): void {
    const invocation = this.#invocations[this.#handedOut];
    if (!invocation) {
      this.#isWaiting = true;
      this.#endWhenQuiet();
      return;
    }
    this.#handedOut += 1;
    response.writeHead(200, toHeaders(invocation, this.#handedOut)).end(invocation.event);
  }

  #endWhenQuiet(): void {
    const answers = this.requests.filter((text) => text.startsWith('POST')).length;
    if (this.#isWaiting && this.#open === 0 && answers >= this.#invocations.length) this.#end();
  }

  #describe({ method, url, rawHeaders, rawTrailers }: IncomingMessage, body: string): string {
    const headers = toLines(rawHeaders).map((line) =>
      line
        .replace(this.address, '<address>')
        .replace(`content-length: ${body.length}`, 'content-length: <that of the body>'),
    );
    return [`${method} ${url}`, ...headers, '', body, ...toLines(rawTrailers)].join('\n');
  }
}

/** Names in lower case and sorted: neither has a meaning in HTTP. */
function toLines(raw: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = String(raw[index]).toLowerCase();
    if (!LEFT_OUT.includes(name)) lines.push(`${name}: ${raw[index + 1]}`);
  }
  return lines.sort();
}

function toHeaders({ headers = {} }: Invocation, position: number): Record<string, string> {
  const all = {
    'content-type': 'application/json',
    'lambda-runtime-aws-request-id': `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`,
    'lambda-runtime-deadline-ms': '4102444800000',
    'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:us-east-1:123456789012:function:judged',
    ...headers,
  };
  const toBytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, toBytes(value)]));
}
