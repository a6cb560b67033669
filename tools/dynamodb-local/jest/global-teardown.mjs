// Ends the run's server, if a test started one, and waits for its end.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export default async function tearDown() {
  const run = process.env.SALLYPORT_DYNAMODB_RUN ?? '';
  const directory = run.slice(run.indexOf(':') + 1);
  if (directory === '') return;
  if (existsSync(join(directory, 'supervisor.pid'))) await stop(directory);
  rmSync(directory, { recursive: true, force: true });
}

async function stop(directory) {
  try {
    process.kill(Number(readFileSync(join(directory, 'supervisor.pid'), 'utf8')), 'SIGTERM');
  } catch {
    return;
  }
  for (let waited = 0; waited < 5000 && !existsSync(join(directory, 'stopped')); waited += 25) await sleep(25);
}
