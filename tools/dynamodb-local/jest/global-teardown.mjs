// Stops the servers that tests of this run started, and waits for their end.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The names that `sharedServer` is called with. */
const SERVERS = ['dynamodb', 's3'];

export default async function tearDown() {
  const run = process.env.SALLYPORT_SERVERS_RUN ?? '';
  const base = run.slice(run.indexOf(':') + 1);
  if (base === '' || !run.startsWith(`${process.pid}:`)) return;
  await Promise.all(
    SERVERS.map(async (name) => {
      const directory = `${base}-${name}`;
      if (existsSync(join(directory, 'supervisor.pid'))) await stop(directory);
      rmSync(directory, { recursive: true, force: true });
    }),
  );
}

async function stop(directory) {
  try {
    process.kill(Number(readFileSync(join(directory, 'supervisor.pid'), 'utf8')), 'SIGTERM');
  } catch {
    return;
  }
  for (let waited = 0; waited < 15_000 && !existsSync(join(directory, 'stopped')); waited += 25) await sleep(25);
}
