import { ManualClock } from '@sallyport/core/testing';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { createBarrier } from './support/barrier.js';
import { run } from './support/command.js';
import { answerOf, createProject, invoke, type Project, start } from './support/run.js';
import { shows } from './support/shows.js';

// Findings of the examination (L1, L21, L24, L27, L28, L31) that no other file tests.

const SERVICE = `
export const handler = async ({ lines = 0, long = 0, wait = false, Records }) => {
  if (long > 0) {
    console.log('x'.repeat(long));
    await new Promise((done) => process.stdout.write('y'.repeat(long) + '\\n', done));
  }
  for (let n = 0; n < lines; n += 1) console.log('line ' + n + ' of a chatty handler');
  if (wait) await fetch(process.env.BARRIER);
  return Records?.[0]?.messageAttributes ?? { done: true };
};`;

describe('a run', () => {
  let project: Project;
  let host: RunningHost;
  beforeAll(async () => {
    project = createProject({ 'src/lambda.mjs': SERVICE, 'sallyport.json': '{ "queues": { "orders": {} } }' });
    host = await start(project);
  });
  afterAll(async () => {
    await host.stop();
    project.remove();
  });

  test('a handler that writes 5,000 lines ends, with a terminal and an open page', async () => {
    let printed = '';
    host.print({ json: false, logs: true }, (text) => (printed += text));
    const stream = new AbortController();
    const headers = { authorization: `Bearer ${host.token}` };
    await fetch(`http://127.0.0.1:${host.ports.console}/api/events`, { headers, signal: stream.signal });
    const { id } = await invoke(host, { lines: 5000 });
    stream.abort();
    const record = host.journal.get(id);
    expect(record).toMatchObject({ status: 'ok', logs: { length: 2000 }, logsDropped: 3000 });
    while (!printed.includes('line 1999 of')) await new Promise(setImmediate);
  });

  test('a line of 1 MB is cut, reports how much is missing, and is followed by the next line', async () => {
    const { id } = await invoke(host, { long: 1_000_000, lines: 1 });
    const { logs } = await shows(host, id, ({ logs: { length } }) => length === 3);
    const texts = logs.map(({ text }) => text.replace(/(.)\1{9}/g, ''));
    // The frame of `console.log` begins with time, id and level.
    expect(texts.sort()).toEqual(['line 0 of a chatty handler', 'xxxxxxxxx … and 934532 further bytes', 'yyyyyy']);
  });

  test('the memory of an invocation is absent if it was not measured, and never 0', async () => {
    const { id } = await invoke(host, {});
    expect(host.journal.get(id)?.maxMemoryMb).not.toBe(0);
  });

  test('the attributes of a message have the lists that SQS sends', async () => {
    const attribute = { dataType: 'String', stringValue: 'ada' };
    const options = { messageAttributes: { by: attribute } };
    const { recordIds } = await host.sender.send({ kind: 'queue', target: 'orders', options });
    const find = () => host.journal.list().find(({ origin }) => origin.recordIds?.includes(recordIds[0] ?? ''));
    while (find()?.answer === undefined) await new Promise(setImmediate);
    const lists = { stringListValues: [], binaryListValues: [] };
    expect(find()?.answer).toEqual({ by: { ...attribute, ...lists } });
  });
});

test('a run stops without waiting for a timer', async () => {
  const project = createProject({ 'src/lambda.mjs': SERVICE });
  const host = await start(project, {}, { watch: true });
  const headers = { authorization: `Bearer ${host.token}` };
  const page = await fetch(`http://127.0.0.1:${host.ports.console}/api/events`, { headers });
  await answerOf(host, {});
  const { setTimeout } = globalThis;
  const never = import.meta.jest
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation(((run: () => void, ms = 0) =>
      setTimeout(run, ms < 50 ? ms : 2 ** 31 - 1)) as typeof setTimeout);
  await host.stop();
  never.mockRestore();
  await page.text().catch(() => {});
  project.remove();
});

test('environments of a burst end when they were idle for five minutes; the newest is kept', async () => {
  const clock = new ManualClock();
  let arrived = 0;
  const barrier = await createBarrier(({ open }) => {
    arrived += 1;
    // All invocations run at the same time: each has its own environment.
    if (arrived === 3) for (let n = 0; n < 3; n += 1) open();
  });
  const project = createProject({ 'src/lambda.mjs': SERVICE });
  const host = await start(project, { env: { BARRIER: barrier.address } }, { clock });
  await Promise.all([1, 2, 3].map(() => answerOf(host, { wait: true })));
  const idle = () => host.invoker.environments().filter(({ state }) => state === 'idle');
  while (idle().length < 3) await new Promise(setImmediate);
  await clock.advance(299_000);
  expect(idle().length).toBe(3);
  await clock.advance(60_000);
  while (idle().length > 1) await new Promise(setImmediate);
  await clock.advance(3_600_000);
  expect(idle().length).toBe(1);
  await host.stop();
  barrier.close();
  project.remove();
});

test('the start reports once that the state is off', async () => {
  const project = createProject({ 'src/lambda.mjs': SERVICE });
  const { out } = await run(project, ['dev', 'src/lambda.mjs', '--check', '--port', '0', '--no-state']);
  expect(out.split('off: --no-state').length - 1).toBe(1);
  project.remove();
});
