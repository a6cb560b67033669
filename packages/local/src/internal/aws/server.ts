import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sha256 } from '@sallyport/core/internal';
import type { Target } from '../guard/check.js';
import { type GuardOptions, guardRequests } from '../guard/listener.js';
import type { RunKeys } from '../host/keys.js';
import type { AwsCall } from '../journal/journal.js';
import { excerpts } from './excerpt.js';
import { type AwsService, type Call, contentType, faultAnswer, type Output, type Protocol } from './service.js';
import { readSignature, type Signed } from './signature.js';
import { AwsFault, readBody, toXml, type WireAnswer, type WireRequest, type XmlValue } from './wire.js';

type Incoming = IncomingMessage | Http2ServerRequest;
type Outgoing = ServerResponse | Http2ServerResponse;

/** Maximum bytes of a body that is read as a whole: a `BatchWriteItem` request can have 16 MiB. */
const MAX_BODY_BYTES = 16 * 1_048_576 + 65_536;
/** A connection that sends no bytes is closed after this time. */
const FIRST_BYTES_MS = 60_000;
const HTTP2 = 'PRI';
const JSON_TYPE = { 'content-type': 'application/json' };

/** Options of {@link createAwsServer}. */
export interface AwsServerOptions {
  readonly guard: GuardOptions<ServerResponse>;
  readonly keys: RunKeys;
  /** By the service of the credential scope. */
  readonly services: Readonly<Record<string, AwsService>>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /**
   * Called when a call begins; the returned function receives the call when it has ended. The calling invocation is determined at the
   * beginning: a sent message may be delivered, under the same trace, before the call has ended. Must not throw.
   */
  readonly onCall: (traceId: string | undefined) => (call: AwsCall) => void;
}

/** The port for the AWS calls of the function and of the developer's clients. */
export interface AwsServer {
  /** Listens on loopback. @returns the port. @throws the error of the socket: `EADDRINUSE` */
  listen(port: number): Promise<number>;
  close(): Promise<void>;
}

/** Creates the port: HTTP/2 with prior knowledge and HTTP/1.1 on one socket. */
export function createAwsServer(options: AwsServerOptions): AwsServer {
  const refuse = (outgoing: Outgoing, { status, message }: { readonly status: number; readonly message: string }) =>
    void send(outgoing, { status, headers: JSON_TYPE, body: JSON.stringify({ message }) }, '', randomUUID());
  const guarded = guardRequests<Incoming, ServerResponse>({ ...options.guard, refuse }, (incoming, outgoing, target) =>
    serveCall(options, incoming, outgoing, target).catch((error: unknown) => {
      options.guard.onFault(error);
      disconnect(outgoing);
    }),
  );
  const serve = (incoming: Incoming, outgoing: Outgoing) => guarded(incoming, outgoing as ServerResponse);
  // Uploads may take longer than the five minutes that Node allows a request.
  const http1 = createHttpServer({ requestTimeout: 0 }, serve);
  const http2 = createHttp2Server(serve);
  // A client that sends `Expect: 100-continue` sends its body when it is read: the body of a rejected request is not sent.
  http1.on('checkContinue', serve);
  http2.on('checkContinue', serve);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    chooseProtocol(socket, (isHttp2) => (isHttp2 ? http2 : http1).emit('connection', socket));
  });
  return {
    listen: (port) => listen(server, port),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
}

/** Reads the first three bytes to select the protocol, and returns them to the socket. */
function chooseProtocol(socket: Socket, choose: (isHttp2: boolean) => void): void {
  let first = Buffer.alloc(0);
  const ignore = () => {};
  const onData = (chunk: Buffer) => {
    first = Buffer.concat([first, chunk]);
    const start = first.subarray(0, HTTP2.length).toString('latin1');
    if (start.length < HTTP2.length && HTTP2.startsWith(start)) return;
    socket.off('data', onData).off('error', ignore).setTimeout(0).pause();
    socket.unshift(first);
    choose(start === HTTP2);
    // An HTTP/2 session reads the bytes from the socket itself; a flowing socket would lose them.
    if (start !== HTTP2) socket.resume();
  };
  socket.setTimeout(FIRST_BYTES_MS, () => socket.destroy());
  socket.on('error', ignore).on('data', onData);
}

async function serveCall(
  options: AwsServerOptions,
  incoming: Incoming,
  outgoing: Outgoing,
  target: Target,
): Promise<void> {
  const startedAt = options.now();
  const request = toWireRequest(incoming, outgoing, target);
  const report = options.onCall(traceOf(request));
  const requestId = randomUUID();
  const noted = { service: '', operation: '', resource: '' };
  let sent: unknown = `${request.method} ${request.path}${request.query === '' ? '' : `?${request.query}`}`;
  let protocol = guessProtocol(request);
  let error: string | null = null;
  let answer: WireAnswer;
  try {
    const signed = readSignature(request, options.keys, startedAt);
    noted.service = signed.service;
    const service = Object.hasOwn(options.services, signed.service) ? options.services[signed.service] : undefined;
    if (!service) throw noService(signed.service);
    protocol = service.protocol;
    const call = await toCall(request, signed, service, (members) => Object.assign(noted, members));
    if (Object.keys(call.input).length > 0) sent = call.input;
    if (noted.operation === '') noted.operation = call.operation;
    if (noted.resource === '') noted.resource = resourceOf(service, call);
    answer = toAnswer(await service.serve(call), service, call, requestId);
  } catch (thrown) {
    const fault = thrown instanceof AwsFault ? thrown : internal();
    error = fault.code;
    answer = faultAnswer(fault, protocol, requestId);
  }
  await send(outgoing, answer, request.method, requestId);
  const ms = options.now() - startedAt;
  report({ at: startedAt, ms, ...noted, status: answer.status, error, ...excerpts(noted.service, sent, answer) });
}

async function toCall(request: WireRequest, signed: Signed, service: AwsService, note: Call['note']): Promise<Call> {
  const shared = { request, signed, note, traceId: traceOf(request) };
  if (service.readsBody) return { ...shared, operation: '', input: {}, body: Buffer.alloc(0) };
  const body = await readBody(request.body, MAX_BODY_BYTES);
  const hash = sha256(body);
  if (/^[0-9a-f]{64}$/.test(signed.payload) && signed.payload !== hash) {
    throw new AwsFault(400, 'InvalidSignatureException', 'the digest of the body differs from the signed digest');
  }
  signed.verify(signed.isPresigned ? sha256('') : hash);
  return { ...shared, body, ...readInput(service.protocol, request, body) };
}

function readInput(protocol: Protocol, { headers }: WireRequest, body: Buffer): Pick<Call, 'operation' | 'input'> {
  if (protocol.startsWith('rest')) return { operation: '', input: {} };
  if (protocol === 'query') {
    const input = Object.fromEntries(new URLSearchParams(body.toString()));
    return { operation: input.Action ?? '', input };
  }
  const operation = (headers['x-amz-target'] ?? '').split('.').pop() ?? '';
  try {
    const input: unknown = body.length === 0 ? {} : JSON.parse(body.toString());
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) {
      return { operation, input: input as Call['input'] };
    }
  } catch {
    // The error follows.
  }
  throw new AwsFault(400, 'SerializationException', 'the body is not a JSON object');
}

function toAnswer(output: Output, { protocol, xmlns }: AwsService, { operation }: Call, requestId: string): WireAnswer {
  if ('wire' in output) return output.wire as WireAnswer;
  if (protocol !== 'query') {
    return { status: 200, headers: { 'content-type': contentType(protocol) }, body: JSON.stringify(output) };
  }
  const result = toXml(`${operation}Result`, output as XmlValue);
  const metadata = toXml('ResponseMetadata', { RequestId: requestId });
  const body = `<${operation}Response xmlns="${xmlns ?? ''}">${result}${metadata}</${operation}Response>`;
  return { status: 200, headers: { 'content-type': 'text/xml' }, body };
}

async function send(outgoing: Outgoing, answer: WireAnswer, method: string, requestId: string): Promise<void> {
  const { status, headers = {}, body = '' } = answer;
  const isWhole = typeof body === 'string' || Buffer.isBuffer(body);
  const response = outgoing as ServerResponse;
  const length =
    isWhole && status !== 204 && status !== 304 ? { 'content-length': String(Buffer.byteLength(body)) } : {};
  response.writeHead(status, { 'x-amzn-requestid': requestId, 'x-amz-request-id': requestId, ...length, ...headers });
  if (method === 'HEAD' || status === 304) response.end();
  else if (isWhole) response.end(body);
  else await pipeline(Readable.from(body, { objectMode: false }), response);
}

function toWireRequest(incoming: Incoming, outgoing: Outgoing, { path, search }: Target): WireRequest {
  const { method = 'GET' } = incoming;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined && (!name.startsWith(':') || name === ':authority'))
      headers[name] = Array.isArray(value) ? value.join(',') : value;
  }
  headers.host ??= incoming.headers[':authority'] as string;
  return {
    method,
    path,
    query: search.slice(1),
    headers,
    body: headers.expect === '100-continue' ? bodyOnDemand(incoming, outgoing) : (incoming as AsyncIterable<Buffer>),
  };
}

async function* bodyOnDemand(incoming: Incoming, outgoing: Outgoing): AsyncGenerator<Buffer> {
  outgoing.writeContinue();
  yield* incoming as AsyncIterable<Buffer>;
}

/** For errors of requests whose service is not determined yet. */
function guessProtocol({ headers }: WireRequest): Protocol {
  if (headers['x-amz-target'] !== undefined) return 'json-1.1';
  const type = headers['content-type'] ?? '';
  if (type.startsWith('application/x-www-form-urlencoded')) return 'query';
  return type.startsWith('application/json') ? 'rest-json' : 'rest-xml';
}

function traceOf({ headers }: WireRequest): string | undefined {
  return headers['x-amzn-trace-id'];
}

/** The last part of the first name, URL or ARN in the input. */
function resourceOf({ resources = [] }: AwsService, { input }: Call): string {
  const name = resources.map((member) => input[member]).find((value) => typeof value === 'string');
  return typeof name === 'string' ? (name.split(/[/:]/).pop() ?? '') : '';
}

function noService(service: string): AwsFault {
  const advice = `${service} is not emulated; pass --aws ${service} to call it at AWS with your credentials`;
  return new AwsFault(501, 'NotImplemented', advice);
}

function internal(): AwsFault {
  return new AwsFault(500, 'InternalFailure', 'the local service failed');
}

function disconnect(outgoing: Outgoing): void {
  if ('stream' in outgoing) outgoing.stream?.close();
  else outgoing.socket?.destroy();
}
