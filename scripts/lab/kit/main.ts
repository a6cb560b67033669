// `npm run bench:kit`: the cost of the test kit. CPU time of a simulation of 100,000 messages, of which one in a hundred fails once,
// compared with the CPU time of passing the same batches to `handleLambda`; and the time to create a test environment.
import { buildQueueEvent, createTestEnv, queue, simulate, type TestEnv } from '../../../packages/testkit/src/index.js';
import { median } from '../../bench/statistics.js';

const MESSAGES = 100_000;
const ROUNDS = 5;
const ARN = 'arn:aws:sqs:us-east-1:123456789012:orders';
const messages = Array.from({ length: MESSAGES }, (_, id) => ({ messageId: `m${id}`, body: JSON.stringify({ id }) }));

function buildApp(env: TestEnv) {
  const failed = new Set<number>();
  return env.app().queue('orders', (_ctx, { body }) => {
    const { id } = JSON.parse(body) as { id: number };
    if (id % 100 !== 0 || failed.has(id)) return;
    failed.add(id);
    throw new Error('refused');
  });
}

/** Milliseconds of CPU that the work took. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function direct(): Promise<number> {
  const env = createTestEnv();
  const app = buildApp(env);
  const events = Array.from({ length: MESSAGES / 10 }, (_, n) =>
    buildQueueEvent(ARN, messages.slice(n * 10, n * 10 + 10)),
  );
  return cpuOf(async () => {
    for (const event of events) await app.handleLambda(event, env.lambdaContext());
  });
}

const simulated = () => cpuOf(() => simulate(buildApp, queue.standard('orders', messages)));

function startOfEnv(): number {
  const before = performance.now();
  for (let n = 0; n < 100; n += 1) createTestEnv();
  return (performance.now() - before) / 100;
}

const ratios: number[] = [];
const starts: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const alone = await direct();
  ratios.push((await simulated()) / alone);
  starts.push(startOfEnv());
}
console.log(
  `simulation of ${MESSAGES} messages: ${median(ratios).toFixed(2)} x handing the same batches to handleLambda (median of ${ROUNDS})`,
);
console.log(`createTestEnv: ${median(starts).toFixed(3)} ms`);
