// A thread that limits one process after another, as the kernel limits a control group: a quota of CPU time in each period of 20 ms.
import { readdirSync, readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const PERIOD_MS = 20;
const POLL_MS = 0.2;

const order = workerData as Int32Array;
parentPort?.postMessage('ready');
for (;;) {
  Atomics.wait(order, 0, 0);
  const pid = Atomics.load(order, 0);
  if (pid !== 0) limit(pid, (Atomics.load(order, 1) / 1000) * PERIOD_MS);
}

/** Runs until the order is withdrawn or the process has ended. */
function limit(pid: number, quotaMs: number): void {
  try {
    let allowed = usedMs(pid);
    while (Atomics.load(order, 0) === pid) {
      // Time used beyond the quota is missing in the next period; unused time is lost.
      allowed = Math.min(allowed, usedMs(pid)) + quotaMs;
      const end = performance.now() + PERIOD_MS;
      process.kill(pid, 'SIGCONT');
      while (performance.now() < end && usedMs(pid) < allowed) Atomics.wait(order, 0, pid, POLL_MS);
      const left = end - performance.now();
      if (left <= 0) continue;
      process.kill(pid, 'SIGSTOP');
      Atomics.wait(order, 0, pid, left);
    }
    process.kill(pid, 'SIGCONT');
  } catch {
    // The process has ended.
    Atomics.wait(order, 0, pid, 1000);
  }
}

/** CPU time of all threads of a process, in milliseconds. */
function usedMs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  let nanoseconds = 0;
  for (const task of readdirSync(tasks)) {
    nanoseconds += Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ', 1)[0]);
  }
  return nanoseconds / 1e6;
}
