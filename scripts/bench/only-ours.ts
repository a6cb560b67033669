import { gatewayV2Event } from './events.js';
import { handlers as ours } from './peers/ours-p2.js';
const invoke = await ours.spans?.();
const text = JSON.stringify(gatewayV2Event({ method: 'GET', path: '/users/42' }));
const n = Number(process.argv[2] ?? 40000);
const ctx = () => ({ awsRequestId: 'c6af9ac6-7b61-11e6-9a41-000000000001', functionName: 'bench', functionVersion: '$LATEST', invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:bench', memoryLimitInMB: '1024', logGroupName: '/x', logStreamName: 'x', callbackWaitsForEmptyEventLoop: true, getRemainingTimeInMillis: () => 29_000 });
const before = process.cpuUsage();
for (let i = 0; i < n; i += 1) { await invoke?.(JSON.parse(text) as never, ctx()); if (i % 100 === 0) await new Promise((r) => setImmediate(r)); }
const { user, system } = process.cpuUsage(before);
console.log((user / n).toFixed(1), (system / n).toFixed(1));
process.exit();
