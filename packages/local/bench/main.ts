// Measures the waits of a developer on the notes service: a start, a save, a request. Prints medians and the load of the machine;
// asserts no limits.
import { appendFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../src/internal/config/load.js';
import { type RunningHost, startHost } from '../src/internal/host/create-host.js';

const NOTES = join(dirname(fileURLToPath(import.meta.url)), '../../../examples/notes');
const SAVES = 20;
const REQUESTS = 200;

const at = (times: readonly number[], share: number) =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** Resolves with the milliseconds of the compilation when the next build runs. */
function built(host: RunningHost): Promise<number> {
  return new Promise((resolve) => {
    const end = host.journal.subscribe((change) => {
      if (change.type !== 'note' || change.note.topic !== 'build') return;
      end();
      resolve(Number(/[0-9]+/.exec(change.note.text)?.[0]));
    });
  });
}

const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
for (const name of ['dev', 'src', 'package.json', 'sallyport.json'])
  cpSync(join(NOTES, name), join(folder, name), { recursive: true });
symlinkSync(join(NOTES, 'node_modules'), join(folder, 'node_modules'));
const entry = join(folder, 'dev/lambda.ts');
const load = () => loadConfig(folder, { port: 0, state: false });
const get = async (host: RunningHost) => (await fetch(`http://127.0.0.1:${host.ports['gateway-v2']}/health`)).text();

let host: RunningHost | undefined;
const report = (what: string, ms: number) => console.log(`${what.padEnd(52)}${ms.toFixed(1).padStart(8)} ms`);
try {
  report('start, dependencies not built', await timed(async () => (host = await startHost(load()))));
  await host?.stop();
  report('start, dependencies built', await timed(async () => (host = await startHost(load()))));
  const running = host as RunningHost;
  await get(running);
  const saves: number[] = [];
  const parts = { build: [] as number[], load: [] as number[], answer: [] as number[] };
  for (let save = 0; save < SAVES; save += 1) {
    // The standby of this save loads the dependencies of the service.
    await new Promise((resolve) => setTimeout(resolve, 500));
    const done = built(running);
    saves.push(
      await timed(async () => {
        appendFileSync(entry, `(globalThis as { save?: number }).save = ${save};\n`);
        parts.build.push(await done);
        parts.answer.push(await timed(() => get(running)));
      }),
    );
    parts.load.push(running.journal.raw(running.journal.ids().at(-1) ?? 0)?.environment?.initMs ?? 0);
  }
  report(`save to first answer, p50 of ${SAVES}`, at(saves, 0.5));
  report(`save to first answer, p95 of ${SAVES}`, at(saves, 0.95));
  for (const [part, times] of Object.entries(parts)) report(`  of this ${part}, p50`, at(times, 0.5));
  const requests: number[] = [];
  for (let request = 0; request < REQUESTS; request += 1) requests.push(await timed(() => get(running)));
  report('GET through the HTTP API, warm, p50', at(requests, 0.5));
  console.log(
    `load of the machine: ${loadavg()
      .map((one) => one.toFixed(1))
      .join(' ')}`,
  );
} finally {
  await host?.stop();
  rmSync(folder, { recursive: true, force: true });
}
