import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { answerOf, createProject, invoke, projectOf, start } from './support/run.js';

const HERE = dirname(fileURLToPath(import.meta.url));

/** True if a process exists, even if it is stopped. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a killed host leaves no stopped process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-guardian-'));
  const outfile = join(folder, 'host.mjs');
  await build({
    entryPoints: [join(HERE, 'programs/host.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const host: ChildProcess = spawn(process.execPath, [outfile], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(host.stdout as NonNullable<typeof host.stdout>, 'data')) as [Buffer];
  const pid = Number(line.toString());
  expect(isThere(pid)).toBe(true);
  host.kill('SIGKILL');
  while (isThere(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
  rmSync(folder, { recursive: true });
});

test('on a managed instance many events run at the same time, without mixing them', async () => {
  const project = createProject({
    'src/lambda.mjs': `
      const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      export const handler = async ({ n, size }, context) => {
        console.log('event', n);
        await wait(n % 20);
        return { n, id: context.awsRequestId, text: 'x'.repeat(size) };
      };`,
  });
  const host = await start(project, { managedInstances: 2, concurrency: 32 });
  try {
    const events = Array.from({ length: 200 }, (_, n) => ({ n, size: n % 7 === 0 ? 50_000 : 10 }));
    const outcomes = await Promise.all(events.map((event) => invoke(host, event, { whenBusy: 'wait' })));
    const answers = outcomes.map((outcome) =>
      outcome.ok ? (outcome.answer as { n: number; id: string; text: string }) : undefined,
    );
    expect(answers.map((answer) => answer?.n)).toEqual(events.map(({ n }) => n));
    expect(answers.map((answer) => answer?.text.length)).toEqual(events.map(({ size }) => size));
    expect(answers.map((answer) => answer?.id)).toEqual(outcomes.map(({ requestId }) => requestId));
    expect(host.invoker.environments()).toHaveLength(1);
  } finally {
    await host.stop();
    project.remove();
  }
});

test('a full managed instance accepts the next event after one ends, and never more than allowed', async () => {
  const project = createProject({
    'src/lambda.mjs': `
      export const handler = async () => {
        const from = Date.now();
        await new Promise((resolve) => setTimeout(resolve, 100));
        return { from, to: Date.now() };
      };`,
  });
  const host = await start(project, { managedInstances: 2, concurrency: 4 });
  try {
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => invoke(host, {}, { whenBusy: 'wait' })));
    const times = outcomes.map((outcome) =>
      outcome.ok ? (outcome.answer as { from: number; to: number }) : undefined,
    );
    const atOnce = times.map((one) =>
      times.filter((other) => one && other && other.from <= one.from && other.to > one.from),
    );
    expect(Math.max(...atOnce.map(({ length }) => length))).toBeLessThanOrEqual(4);
    expect(outcomes.map(({ ok }) => ok)).toEqual(Array(12).fill(true));
  } finally {
    await host.stop();
    project.remove();
  }
});

test('several environments run if one is busy, no more than allowed; a door that does not wait is rejected', async () => {
  const project = projectOf('mixed.mjs');
  const host = await start(project, { concurrency: 2 });
  try {
    const slow = [1, 2].map(() => invoke(host, { do: 'wait', ms: 1500 }));
    const late = invoke(host, { do: 'echo', value: 'late' }, { whenBusy: 'wait' });
    const refused = await answerOf(host, { do: 'echo' });
    expect(refused).toMatchObject({ reason: 'throttled', errorType: 'TooManyRequestsException' });
    expect((await Promise.all(slow)).map(({ ok }) => ok)).toEqual([true, true]);
    expect(await late).toMatchObject({ ok: true, answer: 'late' });
    const used = new Set(host.journal.list().map(({ environment }) => environment?.id));
    used.delete(undefined);
    expect(used.size).toBe(2);
  } finally {
    await host.stop();
    project.remove();
  }
});

test('without a stated limit a call waits for a free environment', async () => {
  const project = projectOf('mixed.mjs');
  const host = await start(project);
  try {
    const calls = Array.from({ length: 15 }, () => invoke(host, { do: 'wait', ms: 300 }));
    expect((await Promise.all(calls)).map(({ ok }) => ok)).toEqual(Array.from({ length: 15 }, () => true));
    const used = new Set(host.journal.list().map(({ environment }) => environment?.id));
    expect(used.size).toBeLessThanOrEqual(10);
  } finally {
    await host.stop();
    project.remove();
  }
});

test('with a debugger there is one environment, which is not frozen and has no timeout', async () => {
  const project = projectOf('mixed.mjs');
  const host = await start(project, { inspect: 0, timeout: 0.1 });
  try {
    expect(await answerOf(host, { do: 'wait', ms: 400 })).toBe('waited');
    expect(host.invoker.environments()).toHaveLength(1);
    const [record] = host.journal.list();
    const lines = record?.logs.map(({ text }) => text).join('\n') ?? '';
    const url = /ws:\/\/[^\s]+/.exec(lines)?.[0] ?? '';
    // The debugger answers between invocations: a stopped process would not.
    const targets = await fetch(`${url.replace('ws://', 'http://').replace(/\/[^/]*$/, '')}/json/list`);
    expect(await targets.json()).toHaveLength(1);
  } finally {
    await host.stop();
    project.remove();
  }
});
