import type { RequestListener } from 'node:http';
import { Agent, type AgentOptions, createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createCertificate } from './certificate.js';

/** A TLS server for many host names, on one port of loopback. */
export interface Endpoints {
  /** Connects every host name to the server, and checks its certificate against the name. */
  readonly agent: Agent;
  readonly port: number;
  /** Its certificate as PEM, which is its own authority. */
  readonly ca: string;
  stop(): Promise<void>;
}

/** Starts the server. */
export async function startEndpoints(names: readonly string[], serve: RequestListener): Promise<Endpoints> {
  const { key, cert } = createCertificate(names);
  const server = createServer({ key, cert }, serve);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const agent = new LoopbackAgent(port, { ca: cert, keepAlive: true });
  return {
    agent,
    port,
    ca: cert,
    async stop() {
      agent.destroy();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

class LoopbackAgent extends Agent {
  readonly #port: number;

  constructor(port: number, options: AgentOptions) {
    super(options);
    this.#port = port;
  }

  /** Keeps the host of the request as the name that the certificate is checked for. */
  override createConnection(
    ...[options, callback]: Parameters<Agent['createConnection']>
  ): ReturnType<Agent['createConnection']> {
    return super.createConnection({ ...options, host: '127.0.0.1', port: this.#port }, callback);
  }
}
