import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Answer, Order } from './instance.js';

const SOURCE = fileURLToPath(new URL('./instance.ts', import.meta.url));
const ESBUILD = fileURLToPath(new URL('../../../../node_modules/.bin/esbuild', import.meta.url));
/** The SDK's CommonJS parts ask for Node's own modules. */
const BANNER = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

/** Processes that share one table, each an instance of one function. */
export class Fleet {
  readonly #directory = mkdtempSync(join(tmpdir(), 'ratelimit-fleet-'));
  #instances: ChildProcess[] = [];

  /** Builds the instance once and starts it `size` times. */
  async start(size: number): Promise<void> {
    const program = join(this.#directory, 'instance.mjs');
    const flags = [
      '--bundle',
      '--platform=node',
      '--format=esm',
      '--conditions=@sallyport/source',
      `--banner:js=${BANNER}`,
    ];
    const { status, stderr } = spawnSync(ESBUILD, [SOURCE, ...flags, `--outfile=${program}`], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    this.#instances = Array.from({ length: size }, () => fork(program));
    await Promise.all(this.#instances.map((instance) => once(instance, 'message')));
  }

  /** Gives every instance its order at once and waits for the answers. */
  async run(orderOf: (instance: number) => Order): Promise<Answer[]> {
    const answers = this.#instances.map((instance) => once(instance, 'message') as Promise<[Answer]>);
    for (const [index, instance] of this.#instances.entries()) instance.send(orderOf(index));
    return (await Promise.all(answers)).map(([answer]) => answer);
  }

  async stop(): Promise<void> {
    const ended = this.#instances.map((instance) => once(instance, 'exit'));
    for (const instance of this.#instances) instance.kill('SIGKILL');
    await Promise.all(ended);
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
