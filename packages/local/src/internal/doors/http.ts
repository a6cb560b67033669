import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type ClientAnswer, clientFailure, DOOR_PROFILES, type HttpDoorKind } from '@sallyport/testkit/events';
import type { Target } from '../guard/check.js';
import { guardOf, guardRequests, guardUpgrades, refuseUpgrade } from '../guard/listener.js';
import { forwardedHeaders, toPairs } from './forwarded.js';
import { writeHead } from './head.js';
import type { DoorHost, DoorRequest } from './request.js';
import { sendThroughDoor } from './send-through-door.js';
import { HttpStream } from './stream.js';

/** Maximum bytes of a rejected body that are read and dropped. */
const MAX_DRAINED = 256 * 1024 * 1024;
/** A rejected client receives its response after this many milliseconds even if it still sends. */
const DRAIN_MS = 500;
/** A client that does not send its whole request in this time receives 408. */
const REQUEST_MS = 30_000;

/** Makes the server of one HTTP door. */
export function createHttpDoor(host: DoorHost, kind: HttpDoorKind): Server {
  const guard = guardOf(host, kind);
  const server = createServer(
    { requestTimeout: REQUEST_MS, maxHeaderSize: 81_920 },
    guardRequests(guard, (request: IncomingMessage, response, target) => serve(host, kind, request, response, target)),
  );
  // An HTTP door does not accept upgrades to other protocols.
  server.on(
    'upgrade',
    guardUpgrades(guard, (_request, socket) => refuseUpgrade(socket, 426)),
  );
  return server;
}

async function serve(
  host: DoorHost,
  kind: HttpDoorKind,
  request: IncomingMessage,
  response: ServerResponse,
  target: Target,
): Promise<void> {
  const { maxBodyBytes, maxHeaderBytes } = DOOR_PROFILES[kind];
  const isLong = maxHeaderBytes !== undefined && headerBytes(request) > maxHeaderBytes;
  if (isLong) return reject(request, response, 431, 'Request Header Fields Too Large');
  const body = await readBody(request, maxBodyBytes);
  if (body === undefined) return; // The client disconnected.
  if (body === 'too-large') return reject(request, response, 413, 'Request Entity Too Large');
  const sink = streams(host, kind) ? new HttpStream(host, kind, response) : undefined;
  const answer = ({ status, headers, body }: ClientAnswer) =>
    send(response, status, headers, Buffer.from(body), request);
  const { client, outcome } = await sendThroughDoor(host, kind, toDoorRequest(kind, request, target, body), {
    stream: sink,
    onTimeout: answer,
  });
  if (client && !sink?.hasBegun) answer(client);
  sink?.report(outcome.id);
}

/** True if a streamed response is sent while it is written. One of several functions is known to stream when it has started. */
function streams({ config, inspection }: DoorHost, kind: HttpDoorKind): boolean {
  const isPossible = inspection().streaming || config.fleet !== undefined;
  return isPossible && DOOR_PROFILES[kind].streams && (kind !== 'gateway-v1' || config.restStream);
}

function toDoorRequest(
  kind: HttpDoorKind,
  request: IncomingMessage,
  { path, search }: Target,
  body: Buffer,
): DoorRequest {
  const { method = 'GET', rawHeaders, socket } = request;
  const sourceIp = (socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
  const headers = forwardedHeaders(kind, toPairs(rawHeaders), { sourceIp, port: socket.localPort ?? 0 });
  return { method, path: path + search, headers, body, sourceIp };
}

/** Bytes of the request line and of the headers, which a gateway counts together. */
function headerBytes({ method = '', url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((bytes, part) => bytes + part.length, method.length + url.length);
}

/** Rejects a request without the function. The client can send its whole body first: a client that still writes does not read. */
function reject(request: IncomingMessage, response: ServerResponse, status: number, message: string): void {
  let left = MAX_DRAINED;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
  request.on('error', () => {});
  request.resume();
  response.setHeader('connection', 'close');
  const body = Buffer.from(JSON.stringify({ message }));
  const answer = () => send(response, status, [['content-type', 'application/json']], body, request);
  if (request.complete) answer();
  else {
    request.once('end', answer);
    // A client that waits for the response before it sends its body.
    setTimeout(answer, DRAIN_MS).unref();
  }
}

/** Sends a whole response. The door sets the length. */
function send(
  response: ServerResponse,
  status: number,
  headers: readonly (readonly [string, string])[],
  body: Buffer,
  request: IncomingMessage,
): void {
  if (response.headersSent) return;
  try {
    writeHead(response, status, headers);
    const isBodiless = status === 204 || status === 304 || status < 200;
    if (!isBodiless) response.setHeader('content-length', body.length);
    response.end(isBodiless || request.method === 'HEAD' ? undefined : body);
  } catch {
    // No server can send such a header; AWS responds the same way.
    const failure = clientFailure('gateway-v2', 'error');
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    response.writeHead(502, { 'content-type': 'application/json' }).end(failure.body);
  }
}

/** The body; `undefined` if the client disconnected before its end. */
async function readBody(request: IncomingMessage, most: number): Promise<Buffer | 'too-large' | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > most) return 'too-large';
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > most) return 'too-large';
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}
