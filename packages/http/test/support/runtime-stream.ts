import { once } from 'node:events';
import { type ClientRequest, createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StreamingHandler } from '../../src/index.js';
import { LAMBDA } from './doors.js';

/** The data of one answer that the Runtime API received. */
export interface Received {
  /** The JSON before the eight NUL bytes; `undefined` if absent. */
  readonly metadata: Record<string, unknown> | undefined;
  readonly body: string;
  readonly bytes: number;
  readonly contentType: string | undefined;
  /** True if the request ended as HTTP has it; false when its connection was cut. */
  readonly complete: boolean;
  /** The error trailer of the runtime client; `undefined` if absent. */
  readonly errorType: string | undefined;
}

/** One invocation of a streaming function. */
export interface Invocation {
  /** The response stream as the handler has it. */
  readonly stream: ClientRequest;
  /** The server's side of it, once its head is there. */
  readonly incoming: Promise<IncomingMessage>;
  /** The received body so far, metadata included. */
  readonly body: () => string;
  /** The rejection of the handler; `undefined` if it resolved. */
  readonly rejection: Promise<unknown>;
  readonly received: Promise<Received>;
}

export interface InvokeOptions {
  readonly context?: unknown;
  /** `false`: the server reads the head of the request, but not its body. */
  readonly reads?: boolean;
}

export type Invoke = (event: unknown, options?: InvokeOptions) => Invocation;

type RuntimeHandler = (event: unknown, stream: ResponseStream, context: unknown) => Promise<unknown>;
type ResponseStream = ClientRequest & { setContentType: (type: string) => void };
type Runtime = { awslambda?: unknown };

const ERROR_TYPE = 'lambda-runtime-function-error-type';
const DELIMITER = Buffer.alloc(8);

/**
 * A Runtime API on loopback and the streaming half of a runtime client. As on Lambda, the response stream is a request to
 * that API, and a handler that rejects has its error written as a trailer.
 */
export class StreamRuntime {
  readonly #server: Server;
  readonly #waiting: ((incoming: IncomingMessage) => void)[] = [];
  readonly #streams: ClientRequest[] = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (incoming, response) => {
      incoming.on('end', () => response.writeHead(202).end());
      this.#waiting.shift()?.(incoming);
    });
  }

  static async start(): Promise<StreamRuntime> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new StreamRuntime(server);
  }

  async stop(): Promise<void> {
    delete (globalThis as Runtime).awslambda;
    for (const stream of this.#streams) stream.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Makes a handler as on a streaming function. `writesMetadata: false`: the handler must write the metadata. */
  load(make: () => StreamingHandler, { writesMetadata = true } = {}): Invoke {
    (globalThis as Runtime).awslambda = {
      streamifyResponse: (handler: unknown) => handler,
      ...(writesMetadata && { HttpResponseStream: { from: withMetadata } }),
    };
    const handler = make() as unknown as RuntimeHandler;
    return (event, options = {}) => this.#invoke(handler, event, options);
  }

  #invoke(handler: RuntimeHandler, event: unknown, { context = LAMBDA, reads = true }: InvokeOptions): Invocation {
    const incoming = new Promise<IncomingMessage>((resolve) => this.#waiting.push(resolve));
    const chunks: Buffer[] = [];
    const body = () => Buffer.concat(chunks).toString();
    const received = incoming.then(async (message) => {
      if (reads) message.on('data', (chunk: Buffer) => chunks.push(chunk));
      message.on('error', () => {});
      await new Promise((resolve) => message.on('close', resolve));
      return toReceived(message, Buffer.concat(chunks));
    });
    const stream = this.#openStream();
    const rejection = handler(event, stream, context).then(
      () => undefined,
      (error: unknown) => {
        stream.addTrailers({ [ERROR_TYPE]: (error as Error).name });
        stream.end();
        return error;
      },
    );
    return { stream, incoming, body, rejection, received };
  }

  #openStream(): ResponseStream {
    const { port } = this.#server.address() as AddressInfo;
    const headers = { 'content-type': 'application/octet-stream', 'transfer-encoding': 'chunked', trailer: ERROR_TYPE };
    const stream = request({ host: '127.0.0.1', port, method: 'POST', path: '/', headers, agent: false });
    stream.on('error', () => {});
    this.#streams.push(stream);
    return Object.assign(stream, { setContentType: (type: string) => void stream.setHeader('content-type', type) });
  }
}

/** The metadata is sent with the first write. */
function withMetadata(stream: ResponseStream, metadata: object): ResponseStream {
  const write = stream.write.bind(stream);
  stream.setContentType('application/vnd.awslambda.http-integration-response');
  stream.write = (chunk: Uint8Array) => {
    stream.write = write;
    write(JSON.stringify(metadata));
    write(DELIMITER);
    return write(chunk);
  };
  return stream;
}

function toReceived(message: IncomingMessage, bytes: Buffer): Received {
  const end = bytes.indexOf(DELIMITER);
  const body = end < 0 ? bytes : bytes.subarray(end + DELIMITER.length);
  return {
    metadata: end < 0 ? undefined : JSON.parse(bytes.toString('utf8', 0, end)),
    body: body.toString(),
    bytes: body.length,
    contentType: message.headers['content-type'],
    complete: message.complete,
    errorType: message.trailers[ERROR_TYPE],
  };
}

/** Lets the event loop turn until something is so. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
