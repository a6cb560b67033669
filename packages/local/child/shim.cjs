// Preloaded into every process and worker of an environment. It answers the `require` of `rapid-client.node`, the compiled part
// of AWS's runtime client, with the same three functions over node:http; the client's JavaScript runs unchanged. It also reports
// to the host, on descriptor 5, the exit of the process and resources that are still open.
const { writeSync } = require('node:fs');
const { Agent, request } = require('node:http');
const Module = require('node:module');
const { getEnvironmentData, isMainThread, setEnvironmentData } = require('node:worker_threads');

const PREFIX = '/2018-06-01/runtime/invocation';
const TO_HOST = 5;
/** Resources that a handler did not close; sockets are kept alive on purpose. */
const FORGOTTEN = ['Timeout', 'Immediate', 'FSReqCallback', 'ChildProcess', 'Worker', 'TCPServerWrap'];
/** The secret of `next`: workers read it here, because the variables of the function do not contain it. */
const KEY = 'sallyport.local.key';
if (isMainThread) setEnvironmentData(KEY, process.env.SALLYPORT_LOCAL_KEY);
delete process.env.SALLYPORT_LOCAL_KEY;
const manyAtOnce = process.env.AWS_LAMBDA_MAX_CONCURRENCY !== undefined;
// `next` is a long poll. With many parallel invocations, responses need additional connections; otherwise one connection is enough, and
// the response is always sent before the next poll.
const agent = new Agent({ keepAlive: true, maxSockets: manyAtOnce ? Number.POSITIVE_INFINITY : 1 });

/** Writes one line to the host. If the host is gone, the process does not fail. */
function notify(message) {
  try {
    writeSync(TO_HOST, `${JSON.stringify(message)}\n`);
  } catch {}
}

/** Sends one request and reads its whole response. */
function call(method, path, body, headers) {
  const [hostname, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(':');
  return new Promise((resolve, reject) => {
    const outgoing = request({ agent, hostname, port, method, path: PREFIX + path, headers }, (incoming) => {
      const chunks = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const { statusCode: status, headers: answered } = incoming;
        resolve({ status, headers: answered, body: Buffer.concat(chunks).toString('utf8') });
      });
    });
    outgoing.on('error', reject);
    // With a string as body node:http would encode the headers as UTF-8 too, but they contain bytes already.
    outgoing.end(body === undefined ? undefined : Buffer.from(body));
  });
}

/** Settles when the pending response is sent. */
let answered = Promise.resolve();
let unanswered = 0;

function answer(path, body, headers) {
  unanswered += 1;
  answered = call('POST', path, body, { 'content-type': 'application/json', ...headers })
    .catch(() => {})
    .finally(() => {
      unanswered -= 1;
    });
}

// The compiled `done` and `error` block until the response is sent, and the client exits right after some of them.
const exit = process.exit;
process.exit = (code) => {
  notify({ type: 'exit', code: code ?? process.exitCode ?? 0 });
  return unanswered === 0 ? exit(code) : answered.finally(() => exit(code));
};
if (isMainThread) process.once('beforeExit', () => notify({ type: 'idle' }));

// The client of AWS does not report an error that nothing catches: the process ends with Node's own output.
process.on('uncaughtExceptionMonitor', (error) => {
  const isError = error instanceof Error;
  const [type, message] = isError ? [error.name, error.message] : [typeof error, String(error)];
  const trace = isError ? String(error.stack).split('\n') : [];
  notify({ type: 'uncaught', error: { errorType: type, errorMessage: message, trace } });
});

/** Opens the connection of a standby before it has an event to ask for; the server does not know the path. */
globalThis[Symbol.for('sallyport.local.connect')] = () => call('GET', '/ready').catch(() => {});

/** Modules of Node that are loaded later than this file, because the service needs them; globals have an internal one. */
const GLOBALS = ['internal/crypto/webcrypto', 'internal/deps/undici/undici'];
const loadedBefore = new Set(process.moduleLoadList);
let hasReported = !isMainThread;

/** Reports them after the first event, so that the next standby loads them in advance. */
function reportLoaded() {
  if (hasReported) return;
  hasReported = true;
  const names = (process.moduleLoadList ?? [])
    .filter((line) => !loadedBefore.has(line))
    .map((line) => line.replace('NativeModule ', ''))
    .filter((name) => GLOBALS.includes(name) || (Module.builtinModules.includes(name) && !name.startsWith('_')));
  notify({ type: 'loaded', names });
}

/** A function of `gate.mjs` that reports to the host how an event is classified. */
const EXPLAIN = Symbol.for('sallyport.local.explain');

const client = {
  async next() {
    if (!manyAtOnce) await answered;
    const left = process.getActiveResourcesInfo().filter((name) => FORGOTTEN.includes(name));
    const known = { 'x-local-key': getEnvironmentData(KEY) ?? '', 'x-local-left': left.join(',') };
    const { status, headers, body } = await call('GET', '/next', undefined, known);
    if (status !== 200) throw new Error(`the Runtime API answered ${status} to next`);
    const own = Object.entries(headers).filter(([name, value]) => name.startsWith('lambda-runtime-') && value !== '');
    // Header bytes are UTF-8; node:http reads each as one character.
    const decoded = own.map(([name, value]) => [name, Buffer.from(value, 'latin1').toString('utf8')]);
    // The compiled part always passes a trace id, and other headers only if they have a value.
    const all = { 'lambda-runtime-trace-id': '', ...Object.fromEntries(decoded) };
    globalThis[EXPLAIN]?.(body, all);
    return { bodyJson: body, headers: all };
  },
  done(id, body) {
    answer(`/${id}/response`, body, {});
    reportLoaded();
  },
  error(id, body, xrayCause) {
    // The stack of an error can be long, and so can the header that repeats it; servers reject headers above a limit.
    const isSent = xrayCause !== '' && xrayCause.length <= 8192;
    const cause = { 'lambda-runtime-function-xray-error-cause': Buffer.from(xrayCause).toString('latin1') };
    answer(`/${id}/error`, body, isSent ? cause : {});
  },
};

const load = Module._load;
Module._load = function (name, ...rest) {
  return name === './rapid-client.node' ? client : load.call(this, name, ...rest);
};
