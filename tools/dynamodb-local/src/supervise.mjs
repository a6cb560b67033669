// Runs one server for the process `owner` and ends with it: `node <supervisor>.mjs <owner pid> <directory>`.
// Writes into the directory: `endpoint` once the server answers, or `failed` with a reason; `log`; `stopped` at the end.
// Ends on SIGTERM, when the owner is gone (then it removes the directory), and when the directory is removed.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

const [owner, directory] = [Number(process.argv[2]), process.argv[3]];
const WATCH_MS = 250;

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Written whole or not at all: readers poll for these files. */
function publish(name, text) {
  if (!existsSync(directory)) return;
  const file = join(directory, name);
  writeFileSync(`${file}.part`, text);
  renameSync(`${file}.part`, file);
}

/** A process that ended but was not waited for still accepts signals; on Linux its state shows that it ended. */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch (error) {
    return error.syscall === 'open' && process.platform !== 'linux';
  }
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/**
 * Starts a server and watches over it.
 *
 * @param start receives the directory and a function that returns true if the server is no longer needed; returns the endpoint, or
 *   throws with the reason
 * @param stop stops the server, and waits for its end
 */
export function supervise(start, stop) {
  let stopping = false;
  const end = async () => {
    if (stopping) return;
    stopping = true;
    await stop();
    if (isAlive(owner)) publish('stopped', '');
    else rmSync(directory, { recursive: true, force: true });
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, end);
  setInterval(() => {
    if (!isAlive(owner) || !existsSync(directory)) void end();
  }, WATCH_MS);
  start(directory, () => stopping).then(
    (endpoint) => publish('endpoint', endpoint),
    (error) => {
      if (stopping) return;
      publish('failed', error.message);
      void end();
    },
  );
}

/** Sends SIGTERM to a child, and SIGKILL after three seconds. */
export async function endChild(child, ended) {
  child.kill('SIGTERM');
  const forced = setTimeout(() => child.kill('SIGKILL'), 3000);
  await ended;
  clearTimeout(forced);
}
