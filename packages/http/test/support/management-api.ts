import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
  readonly authorization: string;
}

/** The behaviour of the server for a connection, selected by its id. */
type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

const awsError = (status: number, name: string): Behaviour => {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': name });
    response.end('{"message":"echo of nothing"}');
  };
};

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  gone: awsError(410, 'GoneException'),
  'gone-bare': (_, response) => response.writeHead(410).end(),
  forbidden: awsError(403, 'ForbiddenException'),
  limited: awsError(429, 'LimitExceededException'),
  large: awsError(413, 'PayloadTooLargeException'),
  broken: (_, response) => response.writeHead(500).end('<html>'),
  slow: () => {},
  reset: (request) => request.socket.destroy(),
};

const CONNECTION = JSON.stringify({
  connectedAt: '2026-11-21T05:00:00Z',
  lastActiveAt: '2026-11-21T05:30:00Z',
  identity: { sourceIp: '192.0.2.7', userAgent: 'wscat' },
});

const OK: Readonly<Record<string, Behaviour>> = {
  POST: (_, response) => response.writeHead(200).end(),
  GET: (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(CONNECTION),
  DELETE: (_, response) => response.writeHead(204).end(),
};

/** A loopback server that speaks the wire protocol of the gateway's connection management API. */
export async function startManagementApi() {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '' } = request;
      const path = url;
      received.push({ method, path, body: Buffer.concat(chunks), authorization: request.headers.authorization ?? '' });
      const id = /^\/prod\/@connections\/([^/?]+)$/.exec(path)?.[1] ?? '';
      const behave = id === '' ? undefined : (BEHAVIOURS[decodeURIComponent(id)] ?? OK[method]);
      if (behave) behave(request, response);
      else response.writeHead(404).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    received,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/prod`,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
