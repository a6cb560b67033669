import { decodeEscapes, WEBSOCKET_MAX_MESSAGE_BYTES } from '@sallyport/core/internal';
import type { AwsService, Output } from '../../aws/service.js';
import { notServed } from '../../aws/service.js';
import { AwsFault } from '../../aws/wire.js';
import type { Sockets } from '../../doors/sockets.js';
import type { LocalService } from '../service.js';

/** `@connections` of the WebSocket door: https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-how-to-call-websocket-api-connections.html. */
function createConnections(sockets: Sockets): AwsService {
  return {
    protocol: 'rest-json',
    serve({ request: { method, path }, body, note }): Output {
      const [, encoded] = /\/@connections\/([^/]+)$/.exec(path) ?? [];
      if (encoded === undefined) throw notServed('');
      const id = decodeEscapes(encoded);
      note({ operation: OPERATIONS[method] ?? method, resource: id });
      if (method === 'POST') return post(sockets, id, body);
      if (method === 'GET') return describe(sockets, id);
      if (method !== 'DELETE') throw notServed(method);
      if (!sockets.close(id)) throw gone();
      return { wire: { status: 204 } };
    },
  };
}

const OPERATIONS: Readonly<Record<string, string>> = {
  POST: 'PostToConnection',
  GET: 'GetConnection',
  DELETE: 'DeleteConnection',
};

function post(sockets: Sockets, id: string, body: Buffer): Output {
  if (body.length > WEBSOCKET_MAX_MESSAGE_BYTES)
    throw new AwsFault(413, 'PayloadTooLargeException', 'a message has at most 128 KB');
  if (!sockets.post(id, body)) throw gone();
  return {};
}

function describe(sockets: Sockets, id: string): Output {
  const view = sockets.get(id);
  if (!view) throw gone();
  const { connectedAt, lastActiveAt, sourceIp, userAgent } = view;
  return {
    connectedAt: connectedAt.toISOString(),
    lastActiveAt: lastActiveAt.toISOString(),
    identity: { sourceIp, userAgent },
  };
}

function gone(): AwsFault {
  return new AwsFault(410, 'GoneException', 'there is no such connection');
}

/** `@connections` of the management API of API Gateway. */
export const connections = {
  name: 'execute-api',
  operations: ({ sockets }) => createConnections(sockets),
} as const satisfies LocalService;
