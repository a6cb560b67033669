import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lambdaFlags } from '@sallyport/bundle';
import type { InvocationOptions, InvocationResult } from './invocation.js';
import { type InitError, type InvocationQueue, startInvocationQueue } from './invocation-queue.js';

/** Major version of AWS's runtime interface client: 3 is used with Node 20, 4 with Node 22 and later. */
export type RicVersion = 3 | 4;

export interface RuntimeOptions {
  /** Path of the JavaScript file that contains the function; its folder is the task root. */
  readonly bundle: string;
  /** Name of the export. */
  readonly handler: string;
  /** Path of the Node binary; default: the current binary. */
  readonly node?: string;
  /** Major version of `node`; default: the current version. */
  readonly nodeMajor?: number;
  /** Default: the version that AWS uses with this version of Node. */
  readonly ric?: RicVersion;
  /** Variables in addition to Lambda's variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Starts the function as on Lambda Managed Instances: several worker threads, each with several concurrent events. */
  readonly concurrency?: { readonly workers: number; readonly invocations: number };
}

export interface Runtime {
  /** Output of the process and its workers, both streams. */
  readonly log: string;
  /** Errors that the runtime client reported instead of starting. */
  readonly initErrors: readonly InitError[];
  /** True if the process is running. */
  readonly running: boolean;
  /** Resolves when the process has ended, with its exit code or the name of the signal. */
  readonly exited: Promise<number | string>;
  /**
   * Resolves when `log` matches the pattern. The output of a process can arrive after its answer, because it uses separate pipes.
   * @throws Error when the process has ended without it
   */
  logged(pattern: RegExp): Promise<void>;
  /** @throws Error when the process has ended */
  invoke(event: unknown, options?: InvocationOptions): Promise<InvocationResult>;
  /** Stops the process and the server. Waits for both. */
  stop(): Promise<void>;
}

const require = createRequire(import.meta.url);

/** The memory of every function. It determines the flags of Node. */
const MEMORY_MB = 512;

/** Loaded first in every process and worker: the exit with its parent, and the part of the client that is compiled elsewhere. */
const PRELOAD = [
  join(dirname(fileURLToPath(import.meta.url)), 'end-with-parent.cjs'),
  join(dirname(require.resolve('@sallyport/local/package.json')), 'child', 'shim.cjs'),
].flatMap((file) => ['--require', file]);

/** Starts a function under AWS's runtime interface client, with a separate Runtime API server. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { node = process.execPath, concurrency } = options;
  const nodeMajor = options.nodeMajor ?? Number(process.versions.node.split('.')[0]);
  const { ric = nodeMajor < 22 ? 3 : 4 } = options;
  const queue = await startInvocationQueue({
    ...(concurrency ? { maxConcurrency: concurrency.invocations } : {}),
    // The service kills an environment after a timeout, but not on Managed Instances, where it also runs the work of other
    // callers.
    onTimeout: () => concurrency || child.kill('SIGKILL'),
  });
  const taskRoot = dirname(options.bundle);
  const handler = `${basename(options.bundle, extname(options.bundle))}.${options.handler}`;
  const child = spawn(node, [...lambdaFlags(MEMORY_MB, nodeMajor), ...PRELOAD, entryOf(ric), handler], {
    cwd: taskRoot,
    // The shim writes diagnostics to descriptor 5; the test harness ignores them.
    stdio: ['pipe', 'pipe', 'pipe', 'ignore', 'ignore', 'ignore'],
    env: environment(options, { address: queue.api.address, key: queue.api.key, taskRoot, handler }),
  });
  return attach(child, queue);
}

function attach(child: ChildProcess, queue: InvocationQueue): Runtime {
  const written: Buffer[] = [];
  const output = new EventEmitter().setMaxListeners(0);
  let running = true;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      written.push(chunk);
      output.emit('written');
    });
  }
  const exited = once(child, 'close').then(([code, signal]) => {
    running = false;
    queue.abandon();
    output.emit('written');
    return (code ?? signal) as number | string;
  });
  const log = () => Buffer.concat(written).toString('utf8');
  return {
    get log() {
      return log();
    },
    get running() {
      return running;
    },
    initErrors: queue.initErrors,
    exited,
    async logged(pattern) {
      while (!pattern.test(log())) {
        if (!running) throw new Error(`the runtime has ended without writing ${pattern}:\n${log()}`);
        await once(output, 'written');
      }
    },
    invoke(event, options) {
      if (!running) throw new Error(`the runtime has ended:\n${log()}`);
      return queue.invoke(event, options);
    },
    async stop() {
      child.kill('SIGKILL');
      await exited;
      queue.close();
    },
  };
}

/** The file of the client that is run; version 3 keeps it under `bin`. */
function entryOf(ric: RicVersion): string {
  const manifest = require.resolve(`aws-lambda-ric-${ric}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly bin: Readonly<Record<string, string>> };
  return join(dirname(manifest), bin['aws-lambda-ric'] as string);
}

interface Place {
  /** Host and port of the Runtime API. */
  readonly address: string;
  /** The secret of the shim. */
  readonly key: string;
  readonly taskRoot: string;
  readonly handler: string;
}

function environment(
  { concurrency, env }: RuntimeOptions,
  { address, key, taskRoot, handler }: Place,
): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    TZ: ':UTC',
    AWS_LAMBDA_RUNTIME_API: address,
    SALLYPORT_LOCAL_KEY: key,
    LAMBDA_TASK_ROOT: taskRoot,
    _HANDLER: handler,
    AWS_REGION: 'us-east-1',
    AWS_LAMBDA_FUNCTION_NAME: 'test',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(MEMORY_MB),
    AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/test',
    AWS_LAMBDA_LOG_STREAM_NAME: '2026/11/22/[$LATEST]0',
    ...(concurrency
      ? {
          AWS_LAMBDA_MAX_CONCURRENCY: String(concurrency.invocations),
          AWS_LAMBDA_NODEJS_WORKER_COUNT: String(concurrency.workers),
        }
      : {}),
    ...env,
  };
}
