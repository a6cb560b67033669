import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { LAMBDA_MAX_EVENT_BYTES, LOAD_BALANCER_MAX_BYTES } from '@sallyport/core/internal';
import { clientFailure, type HttpDoorKind } from '@sallyport/testkit/events';
import type { Target } from '../guard/check.js';
import { guardOf, guardRequests, guardUpgrades, refuseUpgrade } from '../guard/listener.js';
import { HOP_BY_HOP, writeHead } from './head.js';
import type { DoorHost, DoorRequest } from './request.js';
import { sendThroughDoor } from './send-through-door.js';
import { HttpStream } from './stream.js';

/** Maximum bytes of a request body, per door. */
const MAX_BODY: Readonly<Record<HttpDoorKind, number>> = {
  'gateway-v2': 10 * 1024 * 1024,
  'gateway-v1': 10 * 1024 * 1024,
  'function-url': LAMBDA_MAX_EVENT_BYTES,
  'load-balancer': LOAD_BALANCER_MAX_BYTES,
};
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
  const body = await readBody(request, MAX_BODY[kind]);
  if (body === undefined) return; // The client disconnected.
  if (body === 'too-large') {
    response.setHeader('connection', 'close');
    return send(
      response,
      413,
      [['content-type', 'application/json']],
      Buffer.from('{"message":"Request Entity Too Large"}'),
      request,
    );
  }
  const sink = streams(host, kind) ? new HttpStream(host, response) : undefined;
  const { client, outcome } = await sendThroughDoor(host, kind, toDoorRequest(request, target, body), sink);
  if (client && !sink?.hasBegun) send(response, client.status, client.headers, Buffer.from(client.body), request);
  sink?.report(outcome.id);
}

/** True if a streamed response is sent while it is written. */
function streams({ config, inspection }: DoorHost, kind: HttpDoorKind): boolean {
  if (!inspection().streaming) return false;
  return kind === 'function-url' || (kind === 'gateway-v1' && config.restStream);
}

function toDoorRequest(request: IncomingMessage, { path, search }: Target, body: Buffer): DoorRequest {
  const { method = 'GET', rawHeaders, socket } = request;
  const sourceIp = (socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
  const headers: [string, string][] = [];
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.push([rawHeaders[at] as string, rawHeaders[at + 1] as string]);
  headers.push(
    ['x-forwarded-for', sourceIp],
    ['x-forwarded-proto', 'http'],
    ['x-forwarded-port', String(socket.localPort ?? 0)],
  );
  return {
    method,
    path: path + search,
    headers: headers.filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase())),
    body,
    sourceIp,
  };
}

/** Sends a whole response. The door sets the length. */
function send(
  response: ServerResponse,
  status: number,
  headers: readonly (readonly [string, string])[],
  body: Buffer,
  request: IncomingMessage,
): void {
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
