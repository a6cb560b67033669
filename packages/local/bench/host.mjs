// A run whose loop can be measured: started by console.ts with the folder of a project and the folder of the built package. Each line on
// standard input is answered with the busy milliseconds of the host's own loop since the last line, and its resident size.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [folder, dist] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(`${dist}/internal/${file}`).href);
const { loadConfig } = await load('config/load.js');
const { startHost } = await load('host/create-host.js');
const config = loadConfig(folder, { entry: 'src/lambda.mjs', port: 0, state: false, timeout: 60 });
const host = await startHost(config, { watch: false });
host.print({ json: false, logs: false }, () => {});
console.log(JSON.stringify({ ports: host.ports, token: host.token }));

let before = performance.eventLoopUtilization();
let cpu = process.cpuUsage();
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'stop') break;
  const used = process.cpuUsage(cpu);
  const busy = performance.eventLoopUtilization(before).active;
  console.log(JSON.stringify({ busy, cpu: (used.user + used.system) / 1000, resident: process.memoryUsage.rss() / 1e6 }));
  before = performance.eventLoopUtilization();
  cpu = process.cpuUsage();
}
await host.stop();
process.exit(0);
