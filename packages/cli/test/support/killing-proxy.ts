import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
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

/** A proxy before a local AWS service. Forwards each call unchanged, until the call of the fault. */
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
  const server = createServer(async (incoming, outgoing) => {
    const operation = String(incoming.headers['x-amz-target'] ?? incoming.url).replace(/^.*\./, '');
    calls.push(operation);
    const nth = calls.filter((one) => one === operation).length;
    const isHit = fault?.operation === operation && fault.nth === nth;
    const body = await buffer(incoming);
    const act = () => {
      const answer = fault?.act();
      if (answer === undefined) return outgoing.destroy();
      return outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
    };
    if (isHit && fault?.when === 'before') return act();
    const response = await forward(target, incoming, body);
    const content = await buffer(response);
    if (isHit) return act();
    outgoing.writeHead(response.statusCode ?? 500, response.headers).end(content);
    return undefined;
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
        server.closeAllConnections();
      }),
  };
}

function forward(target: string, { method, url, headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(target);
    const call = request({ hostname, port, method, path: url, headers }, resolve);
    call.on('error', reject);
    call.end(body);
  });
}
