import { buildEventBusEvent } from '@sallyport/testkit';
import { z } from 'zod';
import type { Durable, FailedExecution } from '../src/index.js';
import { type RunOptions, runHandler } from './run.js';

const EVENT = buildEventBusEvent({ source: 'shop', detailType: 'Ordered', detail: { card: 'card-4711' } });

const run = (handler: (ctx: Durable) => unknown, options?: RunOptions) => runHandler(handler, EVENT, options);

const failing = async (ctx: Durable) => {
  await ctx.step('charge', () => ({ card: 'card-4711' }));
  await ctx.wait('cool off', { minutes: 10 });
  await ctx.step('mail', () => Promise.reject(new Error('no mail, Bearer abcdefghijklmnopqrstuvwxyz0123456789')));
};

test('a failed execution leaves one line, one metric and its last operations, without values and secrets', async () => {
  const failed: FailedExecution[] = [];
  const metrics: { readonly name: string; readonly value: number; readonly tags: object }[] = [];
  const ran = await run(failing, {
    onFailure: (given) => void failed.push(given),
    container: { observability: { metric: (metric: (typeof metrics)[number]) => void metrics.push(metric) } },
  });
  expect([ran.status, failed.length]).toEqual(['FAILED', 1]);
  expect(ran.lines.filter(({ message }) => message === 'framework: execution failed')).toMatchObject([
    {
      level: 'warn',
      execution: 'run-1',
      tail: ['STEP charge SUCCEEDED', 'WAIT cool off SUCCEEDED', 'STEP mail FAILED'],
    },
  ]);
  expect(ran.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  expect(metrics.filter(({ name }) => name === 'framework.execution')).toMatchObject([
    { value: 1, tags: { outcome: 'error', error_code: 'Error' }, duration_ms: 600_000 },
  ]);
  expect(failed[0]).toMatchObject({
    name: 'run-1',
    startedAt: new Date('2026-11-29T10:00:00Z'),
    tail: [
      { type: 'STEP', name: 'charge', status: 'SUCCEEDED' },
      { type: 'WAIT', name: 'cool off', endedAt: new Date('2026-11-29T10:10:00Z') },
      { type: 'STEP', name: 'mail', status: 'FAILED', error: expect.stringContaining('no mail') },
    ],
  });
  const text = JSON.stringify([failed, ran.lines]);
  expect(text).not.toContain('card-4711');
  expect(text).not.toContain('abcdefghijklmnopqrstuvwxyz');
});

test('the report has the last 20 operations', async () => {
  const failed: FailedExecution[] = [];
  await run(
    async (ctx) => {
      for (let index = 1; index <= 25; index += 1) await ctx.step(`step ${index}`, () => index);
      throw new Error('broken');
    },
    { onFailure: (given) => void failed.push(given) },
  );
  expect(failed[0]?.tail.map(({ name }) => name)).toEqual(
    Array.from({ length: 20 }, (_item, index) => `step ${index + 6}`),
  );
});

test.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('secret of the hook');
    },
  ],
  ['rejects', () => Promise.reject(undefined)],
])('a hook that %s changes nothing, and is one line', async (_name, hook) => {
  const ran = await run(failing, { onFailure: hook as () => void });
  expect([ran.status, ran.error?.ErrorMessage]).toEqual(['FAILED', expect.stringContaining('no mail')]);
  expect(ran.lines.filter(({ message }) => message === 'framework: onFailure failed')).toHaveLength(1);
});

test('an execution that succeeds or waits leaves nothing, and an execution that diverged is reported too', async () => {
  const failed: string[] = [];
  const onFailure = ({ error }: FailedExecution) => void failed.push(error.type);
  const fine = await run(async (ctx) => ctx.wait('pause', { seconds: 5 }), { onFailure });
  let invocation = 0;
  const diverged = await run(
    async (ctx) => {
      invocation += 1;
      await ctx.step(`step ${invocation}`, () => 1);
      await ctx.wait('pause', { seconds: 5 });
    },
    { onFailure },
  );
  expect([fine.status, diverged.status, failed.length]).toEqual(['SUCCEEDED', 'FAILED', 1]);
  expect(fine.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('no id of a callback is in a report or a line', async () => {
  const ids: string[] = [];
  const failed: FailedExecution[] = [];
  const ran = await run(
    (ctx) => ctx.callback('answer', z.string(), { submit: (id) => void ids.push(id), timeout: { hours: 1 } }),
    { onFailure: (given) => void failed.push(given) },
  );
  expect([failed.length, ids.length]).toEqual([1, 1]);
  expect(JSON.stringify([failed, ran.lines, ran.records])).not.toContain(ids[0]);
});
