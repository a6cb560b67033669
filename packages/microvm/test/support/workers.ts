import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkerOrder, WorkerReport } from './worker.js';

const SOURCE = fileURLToPath(new URL('./worker.ts', import.meta.url));
/** Inside the package, so that the AWS client that the provider imports by its name is found. */
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
const ESBUILD = fileURLToPath(new URL('../../../../node_modules/.bin/esbuild', import.meta.url));
/** CommonJS modules of the SDK require Node's built-in modules. */
const BANNER = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

/** Processes that share one table and one service, each an instance of one function. */
export class Workers {
  readonly #directory: string;
  readonly #order: WorkerOrder;
  #onReport: (report: WorkerReport) => void;
  readonly #all: ChildProcess[] = [];

  constructor(order: WorkerOrder, onReport: (report: WorkerReport) => void) {
    this.#order = order;
    this.#onReport = onReport;
    spawnSync('mkdir', ['-p', FOLDER]);
    this.#directory = mkdtempSync(join(FOLDER, 'workers-'));
    const flags = ['--bundle', '--platform=node', '--format=esm', '--conditions=@sallyport/source'];
    const { status, stderr } = spawnSync(
      ESBUILD,
      [SOURCE, ...flags, `--banner:js=${BANNER}`, `--outfile=${this.#program}`],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(stderr);
  }

  get #program(): string {
    return join(this.#directory, 'worker.mjs');
  }

  start(): void {
    const child = fork(this.#program, { env: { PATH: process.env.PATH } });
    this.#all.push(child);
    // A message to a killed process cannot be written.
    child.on('error', () => {});
    child.on('message', (report: WorkerReport) => {
      if (report.kind === 'ready') child.send(this.#order, () => {});
      else this.#onReport(report);
    });
  }

  /** Kills a random process, like Lambda may, and starts another. */
  replaceOne(): void {
    const [child] = this.#all.splice(Math.floor(Math.random() * this.#all.length), 1);
    child?.kill('SIGKILL');
    this.start();
  }

  async stop(): Promise<void> {
    // Unread reports of killed processes arrive later, and must not start a process.
    this.#onReport = () => {};
    const ended = this.#all.splice(0).map((child) => {
      const end = once(child, 'exit');
      child.kill('SIGKILL');
      return end;
    });
    await Promise.all(ended);
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
