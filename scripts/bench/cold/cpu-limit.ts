import { Worker } from 'node:worker_threads';
import { bundle } from '../bundle.js';

/** The memory of a function that has one processor; less memory has less in proportion. https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html */
export const FULL_MB = 1_769;

/** Limits a process to the share of a processor that a memory size includes, until the returned function is called. */
export type CpuLimit = (pid: number, memoryMb: number) => () => void;

/** Stops and continues processes from a separate thread. Call `close` at the end. */
export async function createCpuLimit(): Promise<{ readonly limit: CpuLimit; readonly close: () => Promise<unknown> }> {
  const { file } = await bundle('cold/cpu-limit-thread.ts');
  /** Process id, or 0; share of a processor in thousandths. */
  const order = new Int32Array(new SharedArrayBuffer(8));
  const thread = new Worker(file, { workerData: order, execArgv: [] });
  await new Promise((resolve) => thread.once('message', resolve));
  return {
    limit: (pid, memoryMb) => {
      process.kill(pid, 'SIGSTOP');
      Atomics.store(order, 1, Math.round((Math.min(memoryMb, FULL_MB) / FULL_MB) * 1000));
      Atomics.store(order, 0, pid);
      Atomics.notify(order, 0);
      return () => {
        Atomics.store(order, 0, 0);
        Atomics.notify(order, 0);
      };
    },
    close: () => thread.terminate(),
  };
}
