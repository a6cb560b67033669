import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { childFile, nodeFlags } from '../src/internal/runtime/variables.js';
import type { Case } from './cases.js';
import { Recorder } from './recorder.js';

/** The native part of AWS's client: the compiled part or the shim of the local runtime. */
export type NativePart = 'compiled' | 'shim';

export interface Record {
  /** Every request, and at the end the exit of the process. */
  readonly requests: readonly string[];
  /** The output of the process. */
  readonly log: string;
}

interface Place {
  /** Path of the client's JavaScript, the same for both parts: stack traces name it. */
  readonly client: string;
  /** The folder of the functions. */
  readonly taskRoot: string;
}

const DEADLINE_MS = 30_000;
const MEMORY_MB = 512;

/** Runs one case in a separate process, until it waits for another event or has ended. */
export async function runCase(judged: Case, part: NativePart, place: Place): Promise<Record> {
  const recorder = await Recorder.start(judged.invocations, judged.status ?? 202);
  const nodeMajor = Number(process.versions.node.split('.')[0]);
  const preload = part === 'shim' ? ['--require', childFile('shim.cjs')] : [];
  const child = spawn(
    process.execPath,
    [...nodeFlags(MEMORY_MB, nodeMajor), ...preload, place.client, judged.handler],
    // The shim reports the exit of the process to its host on descriptor 5.
    {
      cwd: place.taskRoot,
      stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', 'ignore'],
      env: variables(judged, place.taskRoot, recorder.address),
    },
  );
  const written: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => written.push(chunk));
  const exited = once(child, 'close').then(([code, signal]) => `ended with ${code ?? signal}`);
  const timer = new AbortController();
  const end = await Promise.race([
    exited,
    recorder.done.then(() => 'waits for an event'),
    wait(DEADLINE_MS, `neither waits nor ended in ${DEADLINE_MS} ms`, { signal: timer.signal }),
  ]);
  timer.abort();
  child.kill('SIGKILL');
  await exited;
  recorder.close();
  return { requests: [...recorder.requests, end], log: Buffer.concat(written).toString('utf8') };
}

function variables({ handler, many }: Case, taskRoot: string, api: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    TZ: ':UTC',
    // Frames of Node are not compared, and must not displace others in a stack trace.
    NODE_OPTIONS: '--stack-trace-limit=50',
    LAMBDA_TASK_ROOT: taskRoot,
    _HANDLER: handler,
    AWS_REGION: 'us-east-1',
    AWS_LAMBDA_RUNTIME_API: api,
    AWS_LAMBDA_FUNCTION_NAME: 'judged',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(MEMORY_MB),
    AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/judged',
    AWS_LAMBDA_LOG_STREAM_NAME: '2026/11/22/[$LATEST]0',
    ...(many ? { AWS_LAMBDA_MAX_CONCURRENCY: '4', AWS_LAMBDA_NODEJS_WORKER_COUNT: '2' } : {}),
  };
}
