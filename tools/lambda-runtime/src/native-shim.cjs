// Preloaded into every process and worker of a runtime: answers the `require` of `rapid-client.node`, the compiled part of
// AWS's runtime interface client, with the same three functions over node:http. The client's JavaScript runs unchanged.
const { Agent, request } = require('node:http');
const Module = require('node:module');
const { isMainThread } = require('node:worker_threads');

const PREFIX = '/2018-06-01/runtime/invocation';
const manyAtOnce = process.env.AWS_LAMBDA_MAX_CONCURRENCY !== undefined;
// `next` is a long poll. With many invocations at once answers need connections beside it.
const agent = new Agent({ keepAlive: true, maxSockets: manyAtOnce ? Number.POSITIVE_INFINITY : 1 });

/** One request, with its whole answer. */
function call(method, path, body, headers) {
  const { hostname, port } = new URL(`http://${process.env.AWS_LAMBDA_RUNTIME_API}`);
  return new Promise((resolve, reject) => {
    const outgoing = request({ agent, hostname, port, method, path: PREFIX + path, headers }, (incoming) => {
      const chunks = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => resolve({ headers: incoming.headers, body: Buffer.concat(chunks).toString('utf8') }));
    });
    outgoing.on('error', reject);
    // With a text as body node:http would write the headers as UTF-8 too, and theirs are bytes already.
    outgoing.end(body === undefined ? undefined : Buffer.from(body));
  });
}

/** Settles with the answer that is on its way. */
let answered = Promise.resolve();
let unanswered = 0;

function answer(path, body, headers) {
  unanswered += 1;
  answered = call('POST', path, body, { 'content-type': 'application/json', ...headers }).finally(() => {
    unanswered -= 1;
  });
}

// The compiled `done` and `error` block until the answer is out, and the client ends the process right after some of them.
const exit = process.exit;
process.exit = (code) => (unanswered === 0 ? exit(code) : answered.finally(() => exit(code)));

const client = {
  async next() {
    if (!manyAtOnce) await answered;
    const { headers, body } = await call('GET', '/next');
    const own = Object.entries(headers).filter(([name]) => name.startsWith('lambda-runtime-'));
    // Header bytes are UTF-8; node:http reads each as one character.
    const decoded = own.map(([name, value]) => [name, Buffer.from(value, 'latin1').toString('utf8')]);
    return { bodyJson: body, headers: Object.fromEntries(decoded) };
  },
  done(id, body) {
    answer(`/${id}/response`, body, {});
  },
  error(id, body, xrayCause) {
    // Characters beyond Latin-1 are no header of node:http; their bytes are.
    const cause = Buffer.from(xrayCause).toString('latin1');
    answer(`/${id}/error`, body, { 'lambda-runtime-function-xray-error-cause': cause });
  },
};

// Standard input is a pipe from whoever started the runtime: it ends when that process is gone, killed or not.
if (isMainThread)
  process.stdin
    .on('end', () => exit(1))
    .resume()
    .unref();

const load = Module._load;
Module._load = function (name, ...rest) {
  return name === './rapid-client.node' ? client : load.call(this, name, ...rest);
};
