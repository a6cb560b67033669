import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { bundle } from './bundle.js';
import type { Answer, Order } from './instance.js';

/** Processes that share one table, each an instance of one function. */
export class Fleet {
  #bundle: ReturnType<typeof bundle> | undefined;
  #instances: ChildProcess[] = [];

  /** Builds the instance once and starts it `size` times. */
  async start(size: number): Promise<void> {
    const built = bundle('./instance.ts');
    this.#bundle = built;
    this.#instances = Array.from({ length: size }, () => fork(built.program));
    await Promise.all(this.#instances.map((instance) => once(instance, 'message')));
  }

  /** Sends every instance its order at the same time and waits for the answers. */
  async run(orderOf: (instance: number) => Order): Promise<Answer[]> {
    const answers = this.#instances.map((instance) => once(instance, 'message') as Promise<[Answer]>);
    for (const [index, instance] of this.#instances.entries()) instance.send(orderOf(index));
    return (await Promise.all(answers)).map(([answer]) => answer);
  }

  async stop(): Promise<void> {
    const ended = this.#instances.map((instance) => once(instance, 'exit'));
    for (const instance of this.#instances) instance.kill('SIGKILL');
    await Promise.all(ended);
    this.#bundle?.remove();
  }
}
