import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { McpStore } from '../src/index.js';

/** Serves a store on loopback and resolves with its port. Row data travels as base64; JSON has no `undefined`. */
export async function serveStore(store: McpStore): Promise<number> {
  const methods: Record<string, (...args: never[]) => Promise<unknown>> = {
    get: store.get.bind(store),
    put: store.put.bind(store),
    take: store.take.bind(store),
    list: store.list.bind(store),
  };
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const [method, ...args] = JSON.parse(Buffer.concat(chunks).toString('utf8'), revive) as [string, ...unknown[]];
    const result = await methods[method]?.(...(args.map((arg) => arg ?? undefined) as never[]));
    outgoing.end(JSON.stringify([result ?? null], replace));
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** The same store, seen from another process. */
export function connectStore(port: number): McpStore {
  const agent = new Agent({ keepAlive: true });
  const call = <T>(...message: unknown[]): Promise<T> =>
    new Promise((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', method: 'POST', agent }, async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk as Buffer);
        const [result] = JSON.parse(Buffer.concat(chunks).toString('utf8'), revive) as [unknown];
        resolve((result ?? undefined) as T);
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(message, replace));
    });
  return {
    get: (key) => call('get', key),
    put: (row, when) => call('put', row, when),
    take: (key) => call('take', key),
    list: (partition, after, limit) => call('list', partition, after, limit),
  };
}

/** `this` holds the bytes themselves: buffers have turned into something else before a replacer sees them. */
function replace(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const own = this[key];
  return key === 'data' && own instanceof Uint8Array ? { b64: Buffer.from(own).toString('base64') } : value;
}

function revive(key: string, value: unknown): unknown {
  const { b64 } = (value ?? {}) as { b64?: unknown };
  return key === 'data' && typeof b64 === 'string' ? new Uint8Array(Buffer.from(b64, 'base64')) : value;
}
