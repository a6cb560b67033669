import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { tracing, udpExporter } from '@sallyport/otel';
import { collectSpans } from '@sallyport/otel/testing';
import { gatewayV2Event } from './events.js';
import { startReceiver } from './peers/receiver.js';
import { findUser } from './application.js';
import { log } from './peers/ours-http.js';
const text = JSON.stringify(gatewayV2Event({ method: 'GET', path: '/users/42' }));
const ctx = () => ({ awsRequestId: 'c6af9ac6-7b61-11e6-9a41-000000000001', functionName: 'bench', functionVersion: '$LATEST', invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:bench', memoryLimitInMB: '1024', logGroupName: '/x', logStreamName: 'x', callbackWaitsForEmptyEventLoop: true, getRemainingTimeInMillis: () => 29_000 });
function app(span: any) {
  const app = createApp({ tier: 'p2', log, ...(span && { observability: { span } }) });
  app.get('/users/{id}', async (ctx) => {
    const id = await ctx.span('read', () => ctx.param('id'), { 'user.kind': 'known' });
    const user = await ctx.span('find', async () => findUser(id));
    return ctx.span('answer', () => json(200, user));
  });
  return app.handleLambda as (e: unknown, c: unknown) => Promise<unknown>;
}
const noop = { set() {}, error() {}, end() {}, run: (r: any) => r() };
const sink = (extra: object = {}) => ({ joinsPlatform: true, counts: { sentSpans: 0, sentBytes: 0, droppedSpans: 0, cutAttributes: 0 }, export: () => undefined, ...extra });
const address = await startReceiver();
const udp = udpExporter({ address }) as any;
const dgram = (await import('node:dgram'));
const quiet = udpExporter({ address }) as any;
await new Promise((r) => setTimeout(r, 50));
const send = dgram.Socket.prototype.send;
let muted = false;
dgram.Socket.prototype.send = function (this: any, ...a: any[]) { if (muted) { a.at(-1)(null); return; } return (send as any).apply(this, a); } as any;
const made: Record<string, any> = {
  off: app(undefined),
  noop: app({ start: () => noop }),
  'no export': app(tracing({ ratio: 1, service: 'bench', exporter: sink() as any })),
  'muted send': app(tracing({ ratio: 1, service: 'bench', exporter: quiet })),
  full: app(tracing({ ratio: 1, service: 'bench', exporter: udp })),
};
const rounds = Number(process.argv[2] ?? 31), calls = Number(process.argv[3] ?? 300);
const times: Record<string, number[]> = {}; const sys: Record<string, number[]> = {};
for (let round = -8; round < rounds; round += 1) for (const name of Object.keys(made)) {
  const events = Array.from({ length: calls }, () => JSON.parse(text));
  muted = name === 'muted send';
  const before = process.cpuUsage();
  for (const event of events) await made[name](event, ctx());
  await new Promise((r) => setImmediate(r));
  const { user, system } = process.cpuUsage(before);
  if (round >= 0) { (times[name] ??= []).push((user + system) / calls); (sys[name] ??= []).push(system / calls); }
}
const median = (l: number[]) => [...l].sort((a, b) => a - b)[l.length >> 1]!;
for (const name of Object.keys(made)) console.log(name.padEnd(12), median(times[name]!).toFixed(1), 'system', median(sys[name]!).toFixed(1));
process.exit();
