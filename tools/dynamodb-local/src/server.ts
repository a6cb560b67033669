import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Names the directory that the processes of one jest run share; set by the global set-up. */
const RUN_VARIABLE = 'SALLYPORT_SERVERS_RUN';
const START_MS = 130_000;

/** A server that tests start when they need it. */
export interface SharedServerOptions {
  /** Its name, for errors and folders: `dynamodb`. The global tear-down uses the same name. */
  readonly name: string;
  /** The environment variable that names another server in its place. */
  readonly variable: string;
  /** The program that runs the server, based on `supervise.mjs`. */
  readonly supervisor: URL;
}

/**
 * The address of a server that this run shares. The first caller starts it; the environment variable replaces it. The
 * server stops with the jest run, or with this process without a jest run.
 *
 * @throws Error when no server can be started, with the reason
 */
export function sharedServer(options: SharedServerOptions): (environment?: NodeJS.ProcessEnv) => Promise<string> {
  let own: Promise<string> | undefined;
  return (environment = process.env) => {
    const given = environment[options.variable] ?? '';
    if (given !== '') return Promise.resolve(given);
    const run = environment[RUN_VARIABLE] ?? '';
    own ??= run === '' ? startForThisProcess(options) : joinRun(run, options);
    return own;
  };
}

/** The address of the DynamoDB Local that this run shares; `DYNAMODB_ENDPOINT` replaces it. */
export const dynamodbEndpoint = sharedServer({
  name: 'dynamodb',
  variable: 'DYNAMODB_ENDPOINT',
  supervisor: new URL('./supervisor.mjs', import.meta.url),
});

function startForThisProcess({ name, supervisor }: SharedServerOptions): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), `sallyport-${name}-`));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  supervise(supervisor, process.pid, directory);
  return started(directory);
}

/** Exactly one process of the run makes the directory, and starts the server. */
function joinRun(run: string, { name, supervisor }: SharedServerOptions): Promise<string> {
  const [owner, base] = splitRun(run);
  const directory = `${base}-${name}`;
  try {
    mkdirSync(directory);
    supervise(supervisor, owner, directory);
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

/** Detached, so that a terminal's Ctrl-C and the end of a jest worker do not stop it; only its supervisor does. */
function supervise(supervisor: URL, owner: number, directory: string): void {
  const child = spawn(process.execPath, [fileURLToPath(supervisor), String(owner), directory], {
    detached: true,
    stdio: 'ignore',
  });
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
  throw new Error(`no server started in ${directory}`);
}

function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
