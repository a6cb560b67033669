// Compares the tracer with OpenTelemetry's SDK in one process: CPU time of a request with three spans, in alternating rounds.
import { createSocket } from 'node:dgram';
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.js';
import { gatewayV2Event } from './events.js';
import type { BenchContext, Handlers, Invoke } from './invoke.js';
import { startReceiver } from './peers/receiver.js';
import { median, pairedRatio } from './statistics.js';

const [rounds = 61, calls = 200] = process.argv.slice(2).map(Number);
/** Rounds before the measured ones, in which V8 compiles the code. */
const WARM_UP = 8;
/** The size of the datagram of a request with three spans. */
const DATAGRAM_BYTES = 1500;
const EVENT = JSON.stringify(gatewayV2Event({ method: 'GET', path: '/users/42' }));
const CONTEXT: BenchContext = {
  awsRequestId: 'c6af9ac6-7b61-11e6-9a41-000000000001',
  functionName: 'bench',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:bench',
  memoryLimitInMB: '1024',
  logGroupName: '/aws/lambda/bench',
  logStreamName: '2026/11/21/[$LATEST]0123456789abcdef',
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => 29_000,
};

/** The handlers of a peer, from the bundle that would be deployed. */
async function load(module: string): Promise<Handlers> {
  const { file } = await bundle(module);
  return ((await import(pathToFileURL(file).href)) as { readonly handlers: Handlers }).handlers;
}

/** Microseconds of CPU time for one request, with its datagram. */
async function measure(invoke: Invoke): Promise<number> {
  const events = Array.from({ length: calls }, () => JSON.parse(EVENT) as never);
  const before = process.cpuUsage();
  for (const event of events) await invoke(event, CONTEXT);
  await new Promise((resolve) => setImmediate(resolve));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

/** Only sends a datagram, as long as the one of a request with three spans. */
async function createDatagram(): Promise<Invoke> {
  const [host, port] = (await startReceiver()).split(':');
  const socket = createSocket('udp4').unref();
  await new Promise<void>((resolve) => socket.connect(Number(port), host, () => resolve()));
  const bytes = Buffer.alloc(DATAGRAM_BYTES, 'x');
  return () => socket.send(bytes, () => {});
}

const [ours, theirs] = [await load('peers/ours-p2.ts'), await load('peers/opentelemetry.ts')];
const unsampled = await load('peers/ours-unsampled.ts');
const peers = [
  { name: 'ours, without a tracer', invoke: await ours['spans-off']?.(), times: [] as number[] },
  { name: 'ours', invoke: await ours.spans?.(), times: [] as number[] },
  { name: "OpenTelemetry's SDK", invoke: await theirs.spans?.(), times: [] as number[] },
  { name: 'ours, trace not sampled', invoke: await unsampled.spans?.(), times: [] as number[] },
  { name: 'a datagram alone', invoke: await createDatagram(), times: [] as number[] },
];
for (let round = -WARM_UP; round < rounds; round += 1) {
  for (const { invoke, times } of peers) {
    const us = invoke ? await measure(invoke) : Number.NaN;
    if (round >= 0) times.push(us);
  }
}
for (const { name, times } of peers) console.log(`${name.padEnd(24)} ${median(times).toFixed(1)} µs`);
const [, own, other] = peers;
console.log(`${'ratio'.padEnd(24)} ${pairedRatio(own?.times ?? [], other?.times ?? []).toFixed(2)}`);
process.exit();
