import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Names the directory that the processes of one jest run share; set by the global set-up. */
const RUN_VARIABLE = 'SALLYPORT_DYNAMODB_RUN';
const START_MS = 130_000;

let own: Promise<string> | undefined;

/**
 * The address of the server that this run shares. The first caller starts it; `DYNAMODB_ENDPOINT` replaces it. The
 * server ends with the jest run, or with this process when there is none.
 *
 * @throws Error when no server can be started, with the reason
 */
export function dynamodbEndpoint(environment: NodeJS.ProcessEnv = process.env): Promise<string> {
  const given = environment.DYNAMODB_ENDPOINT ?? '';
  if (given !== '') return Promise.resolve(given);
  const run = environment[RUN_VARIABLE] ?? '';
  own ??= run === '' ? startForThisProcess() : joinRun(run);
  return own;
}

function startForThisProcess(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-dynamodb-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  supervise(process.pid, directory);
  return started(directory);
}

/** Exactly one process of the run makes the directory, and starts the server. */
function joinRun(run: string): Promise<string> {
  const [owner, directory] = splitRun(run);
  try {
    mkdirSync(directory);
    supervise(owner, directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return Promise.reject(error);
  }
  return started(directory);
}

/** `<pid of the jest run>:<directory>` */
function splitRun(run: string): [number, string] {
  const colon = run.indexOf(':');
  return [Number(run.slice(0, colon)), run.slice(colon + 1)];
}

/** Detached, so that a terminal's Ctrl-C and a jest worker's end leave it to its supervisor's own rules. */
function supervise(owner: number, directory: string): void {
  const supervisor = fileURLToPath(new URL('./supervisor.mjs', import.meta.url));
  const child = spawn(process.execPath, [supervisor, String(owner), directory], { detached: true, stdio: 'ignore' });
  child.unref();
  writeFileSync(join(directory, 'supervisor.pid'), String(child.pid));
}

async function started(directory: string): Promise<string> {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline) {
    const endpoint = readIfThere(join(directory, 'endpoint'));
    if (endpoint) return endpoint;
    const failed = readIfThere(join(directory, 'failed'));
    if (failed !== undefined) throw new Error(failed);
    if (!existsSync(directory)) break;
    await sleep(50);
  }
  throw new Error('DynamoDB Local did not start');
}

function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
