import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on this machine that speaks the wire protocol of one AWS service. */
export interface Loopback {
  readonly endpoint: string;
  stop(): void;
}

/** Options of an AWS client for a loopback server. */
export const toClient = ({ endpoint }: Loopback) => ({
  ...{ region: 'eu-west-1', endpoint, maxAttempts: 1 },
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});

export async function startLoopback(
  answer: (request: IncomingMessage, body: Buffer, response: ServerResponse) => void,
): Promise<Loopback> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    answer(request, Buffer.concat(chunks), response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
