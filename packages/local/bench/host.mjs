// A run whose loop can be measured: started by console.ts with the folder of a project and the folder of the built package. Each line on
// standard input is answered with the CPU milliseconds of the host's own loop and of all threads since the last line, and the resident size.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// As the command line does for a run.
for (const flag of ['--semi-space-growth-factor=1', '--optimize-for-size']) setFlagsFromString(flag);
const [folder, dist] = process.argv.slice(2);
/** CPU time of the first thread alone, in milliseconds: Linux counts ticks of 10 ms. */
const threadTime = () => {
  const words = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(words[11]) + Number(words[12])) * 10;
};
/** Megabytes of the mapped files that are in memory: the program of Node and its libraries. */
const mappedFiles = () =>
  (Number(/^RssFile:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024) / 1e6;
const load = (file) => import(pathToFileURL(`${dist}/internal/${file}`).href);
const { loadConfig } = await load('config/load.js');
const { startHost } = await load('host/create-host.js');
const config = loadConfig(folder, { entry: 'src/lambda.mjs', port: 0, state: false, timeout: 60 });
const host = await startHost(config, { watch: false });
host.print({ json: false, logs: false }, () => {});
console.log(JSON.stringify({ ports: host.ports, token: host.token }));

let before = threadTime();
let cpu = process.cpuUsage();
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'stop') break;
  const used = process.cpuUsage(cpu);
  const busy = threadTime() - before;
  console.log(
    JSON.stringify({
      busy,
      cpu: (used.user + used.system) / 1000,
      resident: process.memoryUsage.rss() / 1e6,
      files: mappedFiles(),
    }),
  );
  before = threadTime();
  cpu = process.cpuUsage();
}
await host.stop();
process.exit(0);
