// The judged server behind one port: `node judge/serve.mjs --port 3410 --instances 3 --fresh --buffered`.
// Requests go to the instances in turn; all instances share one store, which lives here.
import { fork } from 'node:child_process';
import { createServer, request } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serveStore } from './store-server.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/** Starts instances and the round-robin proxy; resolves when they take requests. */
export async function startJudged({ port = 0, instances = 1, fresh = false, buffered = false }) {
  const { memoryMcpStore } = await import(await storeModule());
  const store = await serveStore(memoryMcpStore());
  const violations = [];
  const children = await Promise.all(
    Array.from({ length: instances }, () => startInstance({ store: store.port, fresh, buffered }, violations)),
  );
  let turn = 0;
  let gets = 0;
  const proxy = createServer((incoming, outgoing) => {
    if (incoming.method === 'GET') gets += 1;
    forward(children[turn++ % children.length].port, incoming, outgoing);
  });
  await new Promise((resolve) => proxy.listen(port, 'localhost', resolve));
  return {
    url: `http://localhost:${proxy.address().port}/mcp`,
    violations,
    /** GET requests so far. */
    get gets() {
      return gets;
    },
    async stop() {
      for (const { child } of children) child.disconnect();
      proxy.closeAllConnections();
      proxy.close();
      store.close();
    },
  };
}

/** The sources when TypeScript can be loaded here, else what was built. */
async function storeModule() {
  return process.execArgv.some((arg) => arg.includes('tsx')) ? '../src/index.ts' : '../dist/index.js';
}

function startInstance({ store, fresh, buffered }, violations) {
  const child = fork(join(here, 'instance.ts'), [`--store=${store}`, `--fresh=${fresh}`, `--buffered=${buffered}`], {
    execArgv: ['--conditions=@sallyport/source', '--import', 'tsx'],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.on('message', (message) => {
      if (message.port) resolve({ child, port: message.port });
      if (message.violation) violations.push(message.violation);
    });
  });
}

function forward(port, incoming, outgoing) {
  const { method, url, headers } = incoming;
  const upstream = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    outgoing.flushHeaders();
    answer.pipe(outgoing);
    answer.on('error', () => outgoing.destroy());
  });
  upstream.on('error', () => outgoing.destroy());
  outgoing.on('close', () => upstream.destroy());
  incoming.pipe(upstream);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '3410' },
      instances: { type: 'string', default: '1' },
      fresh: { type: 'boolean', default: false },
      buffered: { type: 'boolean', default: false },
    },
  });
  const { fresh, buffered } = values;
  const judged = await startJudged({ port: Number(values.port), instances: Number(values.instances), fresh, buffered });
  process.stdout.write(`${judged.url}\n`);
}
