// Measures what the console costs: the host's loop while a function writes logs, the page's main thread with 50,000 invocations, the doors
// with an open page, and a host that waits. Prints figures and the load of the machine; asserts nothing. Run `npm run build` before it.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { launchBrowser, type Page } from '@sallyport/browser';
import { openHistory } from '../src/internal/history/history.js';

/** Requests without a response: the machine was too busy for the rate. */
let failed = 0;
/** One connection for each request: a client that keeps connections races with their time limit. */
const agent = new Agent({ keepAlive: false });
const DIST = process.env.SALLYPORT_DIST ?? fileURLToPath(new URL('../dist', import.meta.url));
const RECORDS = 50_000;
const SECONDS = 10;
const HANDLER = `export const handler = async ({ queryStringParameters: q }) => {
  const { lines = '0', length = '30' } = q ?? {};
  const text = 'x'.repeat(Number(length));
  for (let line = 0; line < Number(lines); line += 1) console.log(text);
  return { statusCode: 200, body: 'done' };
};`;

if (!existsSync(join(DIST, 'command.js'))) throw new Error(`${DIST} is not built: run npm run build first`);
const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
mkdirSync(join(folder, 'src'));
writeFileSync(join(folder, 'package.json'), '{ "name": "bench", "type": "module" }');
writeFileSync(join(folder, 'src', 'lambda.mjs'), HANDLER);
fill(join(folder, '.sallyport', 'invocations'));
const run = await start();
const browser = await launchBrowser();
try {
  await measure();
} finally {
  await browser.close();
  run.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  await request('/');
  await run.read();
  report('4,000 log lines, median of 5', median(await times(5, () => request('/?lines=4000'))), 'ms');
  report('4,000 log lines, CPU of the host loop', (await run.read()).busy / 5, 'ms');
  report('100 MB of log, the answer', median(await times(1, () => request('/?lines=100000&length=1000'))), 'ms');
  report('100 MB of log, CPU of the host loop', (await run.read()).busy, 'ms');
  await request('/?lines=3&length=1000000');
  await wait(3000);
  await run.read();
  // V8 collects the old generation once, 8 s after the last work.
  for (const part of ['the first 10 s after the log', 'idle']) {
    await wait(SECONDS * 1000);
    const idle = await run.read();
    report(`${part}, CPU of the host`, (idle.cpu / (SECONDS * 1000)) * 100, '%');
    report(`${part}, resident`, idle.resident, 'MB');
    report(`${part}, of this the files of Node itself`, idle.files, 'MB');
  }
  for (const rate of [50, 200]) report(`${rate}/s without a page, p95 of the door`, p95(await traffic(rate)), 'ms');

  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`http://127.0.0.1:${run.ports.console}/#token=${run.token}`);
  await page.getByRole('option').first().waitFor();
  await page.evaluate(
    'window.longTasks = []; new PerformanceObserver((l) => longTasks.push(...l.getEntries().map((e) => e.duration))).observe({ type: "longtask" })',
  );
  // The time of tasks includes the time in which another process had the core; the time of the thread does not.
  const elapsed = await taskSeconds(page, 'timeTicks');
  const used = await taskSeconds(page, 'threadTicks');
  console.log(`rows: ${await page.locator('.bar .quiet').first().textContent()}`);
  for (const rate of [0, 50, 200]) {
    const before = [await elapsed(), await used()] as const;
    await page.evaluate('longTasks.length = 0');
    const began = Date.now();
    const answered = rate === 0 ? await wait(SECONDS * 1000, []) : await traffic(rate);
    const seconds = (Date.now() - began) / 1000;
    const long = (await page.evaluate('longTasks')) as readonly number[];
    report(`${rate}/s, page busy`, (((await elapsed()) - before[0]) / seconds) * 100, '%');
    report(`${rate}/s, page busy, CPU`, (((await used()) - before[1]) / seconds) * 100, '%');
    report(`${rate}/s, long tasks (${long.length}), longest`, Math.max(0, ...long), 'ms');
    if (rate > 0) report(`${rate}/s with a page, p95 of the door`, p95(answered), 'ms');
  }
  report('resident at the end', (await run.read()).resident, 'MB');
  const search = await times(3, async () => {
    const headers = { authorization: `Bearer ${run.token}` };
    await (await fetch(`http://127.0.0.1:${run.ports.console}/api/search?filter=word-77.`, { headers })).text();
  });
  report('search in all invocations, median of 3', median(search), 'ms');
  console.log(`requests without a response: ${failed}`);
  console.log(
    `load of the machine: ${loadavg()
      .map((one) => one.toFixed(1))
      .join(' ')}`,
  );
}

/** Reads the seconds that the main thread of a page has spent in tasks. */
async function taskSeconds(page: Page, timeDomain: 'timeTicks' | 'threadTicks'): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  };
}

/** Sends requests at a rate for some seconds. @returns the milliseconds of each */
async function traffic(rate: number): Promise<readonly number[]> {
  const all: Promise<number>[] = [];
  const began = performance.now();
  while (performance.now() - began < SECONDS * 1000) {
    while (all.length < ((performance.now() - began) / 1000) * rate) all.push(timed(() => request('/?lines=2')));
    await wait(2);
  }
  return Promise.all(all);
}

function request(path: string): Promise<void> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port: run.ports['gateway-v2'], path, agent }, (response) =>
      response.resume().once('close', () => resolve()),
    ).once('error', () => {
      failed += 1;
      resolve();
    });
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

async function times(count: number, work: () => Promise<unknown>): Promise<readonly number[]> {
  const all: number[] = [];
  for (let at = 0; at < count; at += 1) all.push(await timed(work));
  return all;
}

function at(times: readonly number[], share: number): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
}

function median(times: readonly number[]): number {
  return at(times, 0.5);
}

function p95(times: readonly number[]): number {
  return at(times, 0.95);
}

function report(what: string, value: number, unit: string): void {
  console.log(`${what.padEnd(52)}${value.toFixed(1).padStart(8)} ${unit}`);
}

/** Writes the invocations of an earlier run. */
function fill(history: string): void {
  const writer = openHistory({ folder: history, reveal: false, failuresOf: () => [], notice: console.error });
  for (let id = 1; id <= RECORDS; id += 1) {
    const origin = { kind: 'queue', target: 'orders', recordIds: [`m-${id}`] };
    const event = {
      Records: [{ messageId: `m-${id}`, body: JSON.stringify({ note: `word-${id}.`, lines: 'x'.repeat(500) }) }],
    };
    const members = {
      id,
      requestId: `r-${id}`,
      origin,
      event,
      status: 'ok',
      summary: 'ok',
      ms: 3,
      startedAt: id,
    } as const;
    writer.apply({ number: id, records: [{ id, members, added: {} }], notes: [] });
  }
  writer.close();
}

interface Figures {
  readonly busy: number;
  readonly cpu: number;
  readonly resident: number;
  /** Mapped files, which all processes of Node share. */
  readonly files: number;
}

async function start() {
  const program = fileURLToPath(new URL('host.mjs', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [program, folder, DIST], { stdio: ['pipe', 'pipe', 'inherit'] });
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('the host has no pipes');
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? 'null') as unknown;
  const { ports, token } = (await next()) as { ports: Record<string, number>; token: string };
  return {
    ports,
    token,
    async read() {
      stdin.write('read\n');
      return (await next()) as Figures;
    },
    stop: () => void stdin.write('stop\n'),
  };
}
