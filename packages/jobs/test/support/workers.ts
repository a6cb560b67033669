import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkerOrder, WorkerReport } from './worker.js';

const SOURCE = fileURLToPath(new URL('./worker.ts', import.meta.url));
const ESBUILD = fileURLToPath(new URL('../../../../node_modules/.bin/esbuild', import.meta.url));
/** CommonJS modules of the SDK require Node's built-in modules. */
const BANNER = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

export interface Worker {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<unknown>;
  kill(): void;
  /** Stops a process like Lambda freezes an environment, and resumes it after a number of milliseconds. */
  freeze(ms: number): void;
}

/** Processes that share one table, each an instance of one function. */
export class Workers {
  readonly #directory = mkdtempSync(join(tmpdir(), 'jobs-workers-'));
  readonly #endpoint: string;
  readonly #all = new Set<Worker>();
  #isStopped = false;

  constructor(endpoint: string) {
    this.#endpoint = endpoint;
    const flags = ['--bundle', '--platform=node', '--format=esm', '--conditions=@sallyport/source'];
    const output = `--outfile=${this.#program}`;
    const { status, stderr } = spawnSync(ESBUILD, [SOURCE, ...flags, `--banner:js=${BANNER}`, output], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
  }

  get #program(): string {
    return join(this.#directory, 'worker.mjs');
  }

  /** Starts a worker with an order. */
  start(order: WorkerOrder, onReport: (report: WorkerReport, worker: Worker) => void): Worker {
    const child = fork(this.#program, { env: { PATH: process.env.PATH, DYNAMODB_ENDPOINT: this.#endpoint } });
    const ended = once(child, 'exit');
    const freeze = (ms: number) => {
      child.kill('SIGSTOP');
      setTimeout(() => child.kill('SIGCONT'), ms).unref();
    };
    const worker: Worker = { process: child, pid: child.pid ?? 0, ended, kill: () => child.kill('SIGKILL'), freeze };
    this.#all.add(worker);
    void ended.then(() => this.#all.delete(worker));
    child.on('message', (report: WorkerReport) => {
      if (report.kind === 'ready') child.send(order);
      // Unread reports of killed processes arrive later, and must not start another one.
      else if (!this.#isStopped) onReport(report, worker);
    });
    return worker;
  }

  async killAll(): Promise<void> {
    const all = [...this.#all];
    for (const worker of all) worker.kill();
    await Promise.all(all.map(({ ended }) => ended));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.killAll();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
