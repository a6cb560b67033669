import { type ChildProcess, fork } from 'node:child_process';
import type { WorkloadName } from './invoke.js';
import type { Answer, Order } from './protocol.js';

/** The parent's end of one worker. */
export interface Driver {
  /** @throws Error with the worker's message when it fails, or when it ends */
  ask(order: Order): Promise<number>;
  stop(): void;
}

export interface WorkerOptions {
  /** Bundled `worker.ts`. */
  readonly worker: string;
  readonly bundle: string;
  readonly workload: WorkloadName;
  readonly flags?: readonly string[];
}

/** Starts a worker. Its output is dropped: some peers write a line for each failing request. */
export function startWorker({ worker, bundle, workload, flags = [] }: WorkerOptions): Driver {
  const child = fork(worker, [bundle, workload], {
    execArgv: [...flags],
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return {
    ask: (order) => ask(child, order),
    stop: () => void child.kill(),
  };
}

function ask(child: ChildProcess, order: Order): Promise<number> {
  return new Promise((resolve, reject) => {
    function settle(answer: Answer): void {
      child.off('exit', onExit);
      if (answer.ok) resolve(answer.value);
      else reject(new Error(answer.problem));
    }
    function onExit(code: number | null): void {
      child.off('message', settle);
      reject(new Error(`the process ended with status ${code}`));
    }
    child.once('message', settle);
    child.once('exit', onExit);
    child.send(order);
  });
}
