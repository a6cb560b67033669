import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { fromJson } from '@sallyport/core/internal';
import { readBody } from '../aws/wire.js';
import type { Target } from '../guard/check.js';
import { guardOf, guardRequests } from '../guard/listener.js';
import type { Part, RunBase } from '../host/base.js';
import { decodeJson, decodeProtobuf } from './decode.js';
import { SpanFiler } from './span-filer.js';
import type { TracedSpan } from './traced-span.js';

const HOST = '127.0.0.1';
/** The frame of the X-Ray daemon for OpenTelemetry; other frames are segments of X-Ray's own SDK, which are not shown. */
const FRAME = /^\{"format":\s*"json","version":\s*1\}\nT1S/;
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_UNZIPPED_BYTES = 4 * MAX_BODY_BYTES;
const REQUEST_MS = 10_000;

const unzip = promisify(gunzip);

/** The receivers for the traces of the function: the socket of the X-Ray daemon, and OTLP over HTTP. */
export class TraceReceivers implements Part {
  readonly name = 'trace receivers';
  readonly #onFault: (error: unknown) => void;
  readonly #filer: SpanFiler;
  readonly #socket: Socket;
  readonly #server: Server;

  constructor(host: RunBase) {
    this.#socket = createSocket({ type: 'udp4', recvBufferSize: 4_000_000 });
    this.#socket.on('message', (frame) => this.#receive(frame));
    const guard = guardOf(host, 'traces');
    this.#onFault = (error) => guard.onFault(error);
    this.#filer = new SpanFiler(host.journal, this.#onFault);
    this.#socket.on('error', this.#onFault);
    this.#server = createServer(
      { requestTimeout: REQUEST_MS },
      guardRequests(guard, (request: IncomingMessage, response, target) => this.#serve(request, response, target)),
    );
  }

  /** Variables that direct the exporters of the function to the receivers; empty before they listen. */
  variables(): Readonly<Record<string, string>> {
    if (!this.#server.listening) return {};
    const { port } = this.#server.address() as AddressInfo;
    return {
      AWS_XRAY_DAEMON_ADDRESS: `${HOST}:${this.#socket.address().port}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://${HOST}:${port}`,
    };
  }

  async start(): Promise<void> {
    this.#socket.bind(0, HOST);
    await once(this.#socket, 'listening');
    this.#server.listen(0, HOST);
    await once(this.#server, 'listening');
    // A run ends although the receivers listen.
    this.#socket.unref();
  }

  async stop(): Promise<void> {
    this.#socket.close();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #receive(frame: Buffer): void {
    const text = frame.toString('latin1');
    const [header] = FRAME.exec(text) ?? [];
    if (header !== undefined) this.#file(() => decodeProtobuf(Buffer.from(text.slice(header.length), 'base64')));
  }

  /** Metrics and logs are accepted and not shown: an exporter that is rejected would report it with every invocation. */
  async #serve(request: IncomingMessage, response: ServerResponse, { path }: Target): Promise<void> {
    const body = await bodyOf(request);
    const isJson = request.headers['content-type']?.startsWith('application/json') ?? false;
    const isSignal = request.method === 'POST' && /^\/v1\/(?:traces|metrics|logs)$/.test(path);
    const isRead =
      body !== undefined &&
      isSignal &&
      (path !== '/v1/traces' ||
        this.#file(() => (isJson ? decodeJson(fromJson(body.toString())) : decodeProtobuf(body))));
    const type = isJson ? 'application/json' : 'application/x-protobuf';
    response.writeHead(isSignal ? (isRead ? 200 : 400) : 404, { 'content-type': type }).end(isJson ? '{}' : '');
  }

  #file(decode: () => readonly TracedSpan[]): boolean {
    let spans: readonly TracedSpan[];
    try {
      spans = decode();
    } catch {
      this.#onFault(new Error('it received bytes that are not a trace'));
      return false;
    }
    this.#filer.file(spans);
    return true;
  }
}

/** The body without its compression; `undefined` if it is too large or cannot be read. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  try {
    const body = await readBody(request, MAX_BODY_BYTES);
    if (request.headers['content-encoding'] !== 'gzip') return body;
    return await unzip(body, { maxOutputLength: MAX_UNZIPPED_BYTES });
  } catch {
    request.resume();
    return undefined;
  }
}
