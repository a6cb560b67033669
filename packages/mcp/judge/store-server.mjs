// One store for several processes: the memory store behind loopback HTTP. Row data travels as base64.
import { Agent, createServer, request } from 'node:http';

/** Serves a store; resolves with its port. */
export async function serveStore(store) {
  const server = createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const [method, ...args] = JSON.parse(Buffer.concat(chunks).toString('utf8'), revive);
    // JSON has no `undefined`.
    const result = await store[method](...args.map((arg) => arg ?? undefined));
    outgoing.end(JSON.stringify([result ?? null], replace));
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: server.address().port, close: () => server.close() };
}

/** The same store, seen from another process. */
export function connectStore(port) {
  const agent = new Agent({ keepAlive: true });
  const call = (...message) =>
    new Promise((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', method: 'POST', agent }, async (answer) => {
        const chunks = [];
        for await (const chunk of answer) chunks.push(chunk);
        resolve(JSON.parse(Buffer.concat(chunks).toString('utf8'), revive)[0] ?? undefined);
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

function replace(key, value) {
  return key === 'data' && this[key] instanceof Uint8Array ? { b64: Buffer.from(this[key]).toString('base64') } : value;
}

function revive(key, value) {
  return key === 'data' && typeof value?.b64 === 'string' ? new Uint8Array(Buffer.from(value.b64, 'base64')) : value;
}
