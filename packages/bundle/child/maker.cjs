// Loads a bundled application as its loader does, sends it sample events, and writes what V8 has compiled by then as a start cache. Runs in a
// separate process with the flags of Lambda, without credentials and without network, on Node 20 and later; also in AWS's image, where nothing is
// installed. The argument is the file of a job; the report is a file next to it, because standard output belongs to the application.
'use strict';
const fs = require('node:fs');
const vm = require('node:vm');
const { createHash } = require('node:crypto');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const { Worker } = require('node:worker_threads');
const { refused } = require('./no-network.cjs');

const [, , jobFile] = process.argv;
const job = JSON.parse(fs.readFileSync(jobFile, 'utf8'));
const folder = process.env.LAMBDA_TASK_ROOT;
const report = {
  version: process.version,
  arch: process.arch,
  execArgv: process.execArgv,
  phase: 'load',
  answers: [],
  refused,
};
// An application sees only its own arguments, as on Lambda.
process.argv.length = 2;

/** A connection that is refused later rejects something nobody waits for. */
const ignored = [];
process.on('uncaughtException', (error) => ignored.push(error));
process.on('unhandledRejection', (error) => ignored.push(error));
process.on('exit', () => {
  if (!report.isDone)
    report.error ??= report.phase === 'load' ? 'it ends the process' : `it ends the process (${report.phase})`;
  fs.writeFileSync(join(dirname(jobFile), 'report.json'), JSON.stringify(report));
});

/** The global of Lambda's runtime client, which streaming handlers need. */
globalThis.awslambda = {
  streamifyResponse: (handler) =>
    Object.assign(handler, { [Symbol.for('aws.lambda.runtime.handler.streaming')]: 'response' }),
  HttpResponseStream: { from: (stream) => stream },
};

main().then(
  () => {
    report.isDone = true;
    process.exit(0);
  },
  (error) => {
    report.error = textOf(error);
    process.exit(1);
  },
);

async function main() {
  if (job.entry !== undefined) return inspectEntry();
  const script = compile();
  const exported = run(script);
  const handler = exported[job.handler] ?? exported.default?.[job.handler];
  const inspection = handler?.[Symbol.for('framework.inspect')];
  if (!job.writes && inspection) {
    const { routes, triggers, uses } = inspection;
    report.inventory = { routes: routes(), triggers: triggers(), ...(uses && { uses: uses() }) };
    report.openapi = inspection.openapi?.() ?? null;
  }
  if (typeof handler === 'function') for (const sample of job.samples) await send(handler, sample);
  if (!job.writes) return;
  report.phase = 'cache';
  const data = script.createCachedData();
  const name = `start-${job.hash}-${new Function('process', `return ${job.tag}`)(process)}.cache`;
  fs.writeFileSync(join(folder, name), data);
  report.cache = { name, bytes: data.length, sha256: createHash('sha256').update(data).digest('hex') };
}

/**
 * Describes the bundle with the variables that are known. If it reads others and `placeholders` is "missing", a worker loads it again with a placeholder for each,
 * so that registrations that depend on them are seen.
 */
async function inspectEntry() {
  const { inspect } = require('./inspect.cjs');
  const { entry, handler, describes } = job;
  const inspection = { folder, entry, handler, describes, placeholders: job.placeholders === 'all' };
  Object.assign(report, await inspect(inspection, textOf));
  if (job.placeholders !== 'missing' || report.missing.length === 0) return;
  const second = await inWorker({ ...inspection, placeholders: true, inspects: true });
  if (second?.read) report.read = [...new Set([...report.read, ...second.read])];
  if (second?.inventory === undefined) {
    if (report.error !== undefined && second?.error !== undefined && !report.error.endsWith(second.error))
      report.error += `; with placeholders for ${report.missing.join(', ')}: ${second.error}`;
    return;
  }
  report.contract = second.contract ?? report.contract;
  if (report.error === undefined) {
    report.withPlaceholders = second.inventory;
    return;
  }
  delete report.error;
  const { read, environment } = report;
  Object.assign(report, second, { onlyWithPlaceholders: true, read, environment });
}

/** The time limit of the worker, in milliseconds. */
const WORKER_MS = 10_000;

function inWorker(workerData) {
  return new Promise((resolve) => {
    const worker = new Worker(join(__dirname, 'inspect.cjs'), { workerData });
    const timer = setTimeout(() => worker.terminate(), WORKER_MS);
    const end = (found) => {
      clearTimeout(timer);
      resolve(found);
    };
    worker.on('message', (text) => end(JSON.parse(text)));
    worker.on('error', () => end());
    worker.on('exit', () => end());
  });
}

/** The text of the loader, compiled without a cache. */
function compile() {
  const filename = join(folder, 'app.js');
  const text = fs.readFileSync(filename, job.encoding);
  return new vm.Script(text, { filename });
}

function run(script) {
  const file = join(folder, 'app.js');
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, folder);
  return module.exports;
}

/** Sends an event, or the calls of an MCP client. The outcome is data: an application without its tables answers errors. */
async function send(handler, { label, event, mcp }) {
  report.phase = `sample ${label}`;
  if (mcp) return sendMcp(handler, event);
  return invoke(handler, label, event);
}

async function invoke(handler, label, event) {
  const late = new Promise((resolve) => setTimeout(resolve, job.sampleMs, 'late').unref());
  const isStreaming = handler[Symbol.for('aws.lambda.runtime.handler.streaming')] === 'response';
  try {
    const sink = isStreaming ? openSink() : undefined;
    const context = contextOf();
    const result = await Promise.race([
      Promise.resolve(sink ? handler(event, sink, context) : handler(event, context)),
      late,
    ]);
    report.answers.push({ label, outcome: result === 'late' ? 'late' : 'answered', status: result?.statusCode });
    return sink ? { body: sink.text(), headers: {} } : result;
  } catch (error) {
    report.answers.push({ label, outcome: 'rejected', code: typeof error?.code === 'string' ? error.code : undefined });
    return undefined;
  }
}

/** A session as a client has it: `initialize`, the list of tools, and a call of the first one. */
async function sendMcp(handler, template) {
  const call = (id, method, params, session) =>
    invoke(handler, `mcp ${method}`, {
      ...template,
      headers: {
        ...template.headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
        ...(session && { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...(id && { id }), method, ...(params && { params }) }),
    });
  const clientInfo = { name: 'start-cache', version: '1' };
  const opened = await call(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  const session = Object.entries(opened?.headers ?? {}).find(([name]) => name.toLowerCase() === 'mcp-session-id')?.[1];
  await call(undefined, 'notifications/initialized', undefined, session);
  const listed = await call(2, 'tools/list', {}, session);
  const [, name] = /"tools":\[\{[^[]*?"name":"([^"]+)"/.exec(String(listed?.body ?? '')) ?? [];
  if (name !== undefined) await call(3, 'tools/call', { name, arguments: {} }, session);
}

function contextOf() {
  const end = Date.now() + job.sampleMs;
  return {
    awsRequestId: '00000000-0000-4000-8000-000000000000',
    functionName: 'start-cache',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:start-cache',
    memoryLimitInMB: String(job.memory),
    logGroupName: '/aws/lambda/start-cache',
    logStreamName: 'start-cache',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, end - Date.now()),
  };
}

function openSink() {
  const { Writable } = require('node:stream');
  const chunks = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return Object.assign(sink, { setContentType() {}, text: () => Buffer.concat(chunks).toString('utf8') });
}

function textOf(error) {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.split('\n', 1)[0].slice(0, 500);
}
