import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request, type ServerResponse } from 'node:http';
import {
  connect,
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A call at which the client of the proxy is stopped. */
export interface Fault {
  /** The operation: `SendMessage`. */
  readonly operation: string;
  /** 1 for the first call of the operation. */
  readonly nth: number;
  /** `before` the call reaches the service, or `after` it did and before the client reads the response. */
  readonly when: 'before' | 'after';
  /** Stops the client, or returns the response that it receives instead. */
  readonly act: () => { readonly status: number; readonly body: object } | undefined;
}

/**
 * A proxy before a local AWS service. Forwards each call unchanged, until the call of the fault. The client of Kinesis sends HTTP/2, the others
 * HTTP/1.1.
 */
export interface FaultProxy {
  readonly endpoint: string;
  /** Sets the fault of the next client. */
  arm(fault: Fault | undefined): void;
  /** The operations of all calls. */
  readonly calls: string[];
  close(): Promise<void>;
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  let fault: Fault | undefined;
  const calls: string[] = [];
  const serve = async (incoming: Incoming, outgoing: ServerResponse | Http2ServerResponse) => {
    const operation = String(incoming.headers['x-amz-target'] ?? incoming.url).replace(/^.*\./, '');
    calls.push(operation);
    const nth = calls.filter((one) => one === operation).length;
    const isHit = fault?.operation === operation && fault.nth === nth;
    const body = await buffer(incoming);
    const act = () => {
      const answer = fault?.act();
      if (answer === undefined) return outgoing.destroy();
      return send(outgoing, answer.status, { 'content-type': 'application/json' }, JSON.stringify(answer.body));
    };
    if (isHit && fault?.when === 'before') return act();
    const response = await forward(target, incoming, body);
    return isHit ? act() : send(outgoing, response.status, response.headers, response.body);
  };
  const [http1, http2] = [createServer(serve), createHttp2Server(serve)];
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)).on('error', () => {}));
    socket.once('data', (first) => {
      socket.pause();
      socket.unshift(first);
      const isHttp2 = first.toString('latin1').startsWith('PRI');
      (isHttp2 ? http2 : http1).emit('connection', socket);
      // A session of HTTP/2 reads the bytes from the socket itself.
      if (!isHttp2) socket.resume();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    arm(next) {
      fault = next;
      calls.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

type Incoming = IncomingMessage | Http2ServerRequest;

/** A response of HTTP/2 has no headers of the connection. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding'];

function send(
  outgoing: ServerResponse | Http2ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Buffer,
): void {
  outgoing.statusCode = status;
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !name.startsWith(':') && !OF_CONNECTION.includes(name)) outgoing.setHeader(name, value);
  }
  outgoing.end(body);
}

interface Forwarded {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/** The headers are unchanged, because they are signed: of HTTP/2 the pseudo-header `:authority` too. */
async function forward(target: string, incoming: Incoming, body: Buffer): Promise<Forwarded> {
  if (incoming.httpVersionMajor === 2) return forwardHttp2(target, incoming.headers, body);
  const { method, url, headers } = incoming;
  const { hostname, port } = new URL(target);
  const call = request({ hostname, port, method, path: url, headers });
  call.end(body);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 500, headers: response.headers, body: await buffer(response) };
}

async function forwardHttp2(target: string, headers: OutgoingHttpHeaders, body: Buffer): Promise<Forwarded> {
  const session = connect(target);
  const call = session.request(headers);
  call.end(body);
  const [answer] = (await once(call, 'response')) as [OutgoingHttpHeaders];
  const content = await buffer(call);
  session.close();
  return { status: Number(answer[':status']), headers: answer, body: content };
}
