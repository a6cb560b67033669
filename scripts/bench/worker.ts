// One process: one peer, one workload. Started by the parent with `<bundle> <workload>`, driven over IPC.
import { PerformanceObserver } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import type { BenchContext, Handlers, Invoke, WorkloadName } from './invoke.js';
import type { Answer, Order } from './protocol.js';
import { WORKLOAD_TABLE } from './workloads.js';

const [bundle = '', name = ''] = process.argv.slice(2);
const workload = WORKLOAD_TABLE[name as WorkloadName];

/** The number of distinct events, so that no peer profits from a cache. There are fewer large ones. */
const text = JSON.stringify(workload.event);
const RING =
  workload.events?.() ?? Array.from({ length: text.length > 100_000 ? 4 : 64 }, () => JSON.parse(text) as object);

/** The number of calls between two readings of the clock. */
const CHUNK = text.length > 100_000 ? 4 : 128;

interface Call {
  readonly event: never;
  readonly context: BenchContext;
}

let calls = 0;

/** The event as the service would pass it. It is created outside the measured part; peers may change its top level. */
function nextCall(): Call {
  calls++;
  const event = { ...RING[calls % RING.length] } as never;
  const context: BenchContext = {
    awsRequestId: `c6af9ac6-7b61-11e6-9a41-${String(calls).padStart(12, '0')}`,
    functionName: 'bench',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:bench',
    memoryLimitInMB: '1024',
    logGroupName: '/aws/lambda/bench',
    logStreamName: '2026/11/21/[$LATEST]0123456789abcdef',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => 29_000,
  };
  return { event, context };
}

let invoke: Invoke;

/**
 * Creates the peer's handler and compares its answers, both the first and later answers.
 *
 * @returns 1, or 0 if the peer does not support this workload
 */
async function check(): Promise<number> {
  const { handlers } = (await import(pathToFileURL(bundle).href)) as { handlers: Handlers };
  const create = handlers[name as WorkloadName];
  if (!create) return 0;
  invoke = await create();
  for (let round = 0; round < 3; round++) {
    const { event, context } = nextCall();
    const problem = workload.check(await invoke(event, context));
    if (problem !== null) throw new Error(problem);
  }
  return 1;
}

/** Runs until this much CPU time is used; microseconds of CPU a call, of all threads of this process. */
async function measure(cpuMs: number): Promise<number> {
  let used = 0;
  let done = 0;
  while (used < cpuMs * 1000) {
    const chunk = Array.from({ length: CHUNK }, nextCall);
    const before = process.cpuUsage();
    for (const { event, context } of chunk) await invoke(event, context);
    const { user, system } = process.cpuUsage(before);
    used += user + system;
    done += CHUNK;
  }
  return used / done;
}

/**
 * Bytes allocated per call, on the heap and outside it. The parent starts this worker with a young generation so large
 * that no collection is needed meanwhile: then the growth of the heap is the allocation. An attempt in which
 * V8 collected anyway is void; of the others the least counts, because code that is not yet compiled
 * only allocates more. Large buffers are allocated and freed outside the heap: for them there is no figure.
 */
async function allocate(warmUpMs: number): Promise<number> {
  if (name === 'upload' || name === 'download') throw new Error('large buffers are not counted');
  await measure(warmUpMs);
  const rough = await leastGrowth(2);
  return leastGrowth(Math.max(2, Math.min(1024, Math.floor(ROOM / rough))));
}

/** The bytes that may be allocated before V8 collects, with a margin. */
const ROOM = 64 * 1024 * 1024;
const ATTEMPTS = 8;

async function leastGrowth(count: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) least = Math.min(least, (await growth(count)) ?? least);
  if (least === Number.POSITIVE_INFINITY) throw new Error('the heap was collected whenever it was measured');
  return least;
}

async function growth(count: number): Promise<number | null> {
  const chunk = Array.from({ length: count }, nextCall);
  const { gc } = globalThis as { gc?: () => void };
  gc?.();
  await turn();
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length;
  });
  observer.observe({ entryTypes: ['gc'] });
  const before = process.memoryUsage();
  for (const { event, context } of chunk) await invoke(event, context);
  const after = process.memoryUsage();
  await turn();
  observer.disconnect();
  if (collections > 0) return null;
  return (after.heapUsed + after.external - before.heapUsed - before.external) / count;
}

/** One turn of the event loop, in which observers run. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}

async function obey(order: Order): Promise<number> {
  if (order.do === 'check') return check();
  if (order.do === 'allocate') return allocate(order.warmUpMs);
  return measure(order.cpuMs);
}

process.on('message', async (order: Order) => {
  const answer: Answer = await obey(order).then(
    (value): Answer => ({ ok: true, value }),
    (error: unknown): Answer => ({ ok: false, problem: error instanceof Error ? error.message : String(error) }),
  );
  process.send?.(answer);
});
process.on('disconnect', () => process.exit());
