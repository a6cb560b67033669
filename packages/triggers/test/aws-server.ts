import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request of an AWS client in the JSON protocol. */
export interface Received {
  readonly operation: string;
  readonly input: Record<string, unknown>;
}

/** A server that records the requests of AWS's own clients, and answers each with the next status. */
export class AwsServer {
  readonly received: Received[] = [];
  /** Statuses of the next responses; 200 afterwards. */
  readonly statuses: number[] = [];
  readonly #server: Server;
  #open = false;

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const target = String(request.headers['x-amz-target']);
        const input = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>;
        this.received.push({ operation: target.slice(target.indexOf('.') + 1), input });
        const status = this.statuses.shift() ?? 200;
        response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
        response.end(status === 200 ? '{}' : '{"__type":"ValidationException","message":"no"}');
      });
    });
  }

  /** Options of an AWS client that reaches this server alone. */
  async options() {
    if (!this.#open) await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.#open = true;
    const { port } = this.#server.address() as AddressInfo;
    return {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
    };
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
