// Measures the first answer of `dev --all` with forty functions, and the CPU time of each step: of the host, and of
// the processes of esbuild and the function. Prints figures and the load of the machine; asserts nothing.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../src/internal/config/load.js';
import { startHost } from '../src/internal/host/create-host.js';

const COUNT = 40;
const REQUESTS = 6;

const serviceOf = (n: number) => `
import { SQSClient } from '@aws-sdk/client-sqs';
new SQSClient({});
export const handler = async () => ({ statusCode: 200, body: 'function ${n}' });`;

const functions = Array.from({ length: COUNT }, (_, n) => ({
  path: `App/F${n}`,
  entry: `src/f${n}.mjs`,
  timeoutMs: 30_000,
  sources: [{ kind: 'queue', name: `q${n}`, settings: { batchSize: 10 } }],
  doors: [{ kind: 'http-api', routes: [`GET /f${n}`] }],
}));

const folder = mkdtempSync(join(tmpdir(), 'sallyport-forty-'));
for (const name of ['src', 'cdk.out']) mkdirSync(join(folder, name));
writeFileSync(join(folder, 'package.json'), '{ "name": "forty", "type": "module" }');
writeFileSync(join(folder, 'cdk.out', 'sallyport.json'), JSON.stringify({ version: 1, functions }));
for (let n = 0; n < COUNT; n += 1) writeFileSync(join(folder, 'src', `f${n}.mjs`), serviceOf(n));
symlinkSync(fileURLToPath(new URL('../node_modules', import.meta.url)), join(folder, 'node_modules'));

/** CPU milliseconds of this process and its children, which have not ended. */
function cpu(): { readonly host: number; readonly children: number } {
  const { user, system } = process.cpuUsage();
  let children = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      if (Number(fields[1]) === process.pid) children += (Number(fields[11]) + Number(fields[12])) * 10;
    } catch {
      // The process has ended.
    }
  }
  return { host: Math.round((user + system) / 1000), children };
}

async function step(name: string, run: () => Promise<unknown>): Promise<void> {
  const [before, begin] = [cpu(), performance.now()];
  await run();
  const [after, ms] = [cpu(), Math.round(performance.now() - begin)];
  const host = after.host - before.host;
  console.log(`${name}: ${ms} ms; CPU of the host ${host} ms, of its children ${after.children - before.children} ms`);
}

try {
  for (const round of ['empty state', 'dependencies are bundled']) {
    console.log(`${round}, load ${loadavg()[0]?.toFixed(1)}`);
    let stop = async () => {};
    let port = 0;
    await step('  start', async () => {
      const host = await startHost(loadConfig(folder, { all: true, port: 0, state: false }), { watch: true });
      stop = () => host.stop();
      port = host.ports['gateway-v2'];
    });
    for (let n = 0; n < REQUESTS; n += 1) {
      await step(`  first answer of function ${n}`, async () => {
        const text = await (await fetch(`http://127.0.0.1:${port}/f${n}`)).text();
        if (text !== `function ${n}`) throw new Error(text);
      });
    }
    await step('  second answer of function 0', async () => (await fetch(`http://127.0.0.1:${port}/f0`)).text());
    await stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
