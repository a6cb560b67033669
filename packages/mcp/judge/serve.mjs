// The judged server at one port: `node judge/serve.mjs --port 3410 --instances 3 --fresh --buffered`.
// Requests are sent to the instances in turn; all instances share one store, which is in this process.
import { fork } from 'node:child_process';
import { createServer, request } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));

/** Starts store, instances and the round-robin proxy; resolves when they accept requests. */
export async function startJudged({ port = 0, instances = 1, fresh = false, buffered = false }) {
  const violations = [];
  const note = ({ violation }) => violation && violations.push(violation);
  const store = await start('store-process.ts', [], note);
  const args = [`--store=${store.port}`, `--fresh=${fresh}`, `--buffered=${buffered}`];
  const children = await Promise.all(Array.from({ length: instances }, () => start('instance.ts', args, note)));
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
      for (const { child } of [...children, store]) child.disconnect();
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

/** A process of ours on the sources; resolves with its port. */
function start(file, args, onMessage) {
  const child = fork(join(here, file), args, { execArgv: ['--conditions=@sallyport/source', '--import', 'tsx'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`judge: ${file} ended with ${code}`)));
    child.on('message', (message) => {
      onMessage(message);
      if (message.port) resolve({ child, port: message.port });
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
