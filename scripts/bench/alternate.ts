// Compares the tracer with OpenTelemetry's SDK in one process: CPU time of a request with three spans, in alternating rounds.
import { gatewayV2Event } from './events.js';
import type { BenchContext, Invoke } from './invoke.js';
import { handlers as theirs } from './peers/opentelemetry.js';
import { handlers as ours } from './peers/ours-p2.js';

const [rounds = 41, calls = 300] = process.argv.slice(2).map(Number);
const text = JSON.stringify(gatewayV2Event({ method: 'GET', path: '/users/42' }));

const context = (): BenchContext => ({
  awsRequestId: 'c6af9ac6-7b61-11e6-9a41-000000000001',
  functionName: 'bench',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:bench',
  memoryLimitInMB: '1024',
  logGroupName: '/aws/lambda/bench',
  logStreamName: '2026/11/21/[$LATEST]0123456789abcdef',
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => 29_000,
});

async function measure(invoke: Invoke): Promise<number> {
  const events = Array.from({ length: calls }, () => JSON.parse(text) as never);
  const before = process.cpuUsage();
  for (const event of events) await invoke(event, context());
  // Datagrams that are still to be sent belong to the round.
  await new Promise((resolve) => setImmediate(resolve));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

const made = {
  'ours off': await ours['spans-off']?.(),
  'ours on': await ours.spans?.(),
  'theirs on': await theirs.spans?.(),
};
const names = Object.keys(made) as (keyof typeof made)[];
const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<keyof typeof made, number[]>;
for (let round = -8; round < rounds; round += 1) {
  for (const name of names) {
    const us = await measure(made[name] as Invoke);
    if (round >= 0) times[name].push(us);
  }
}
const median = (list: readonly number[]) => [...list].sort((a, b) => a - b)[list.length >> 1] ?? 0;
for (const name of names) console.log(name.padEnd(12), median(times[name]).toFixed(1), 'µs');
const each = (name: keyof typeof made, index: number) => times[name][index] ?? 0;
console.log('ratio on', median(times['ours on'].map((us, index) => us / each('theirs on', index))).toFixed(2));
process.exit();
