/** Operations, bytes and invocations of each trigger and delivery: what AWS bills. They are the rows of the table in docs/durable.md. */

import { readFileSync } from 'node:fs';
import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { buildAPIGatewayV2Request, buildKinesisEvent, buildQueueEvent, buildTopicEvent } from '@sallyport/testkit';
import type { Operation } from '@sallyport/testkit/durable';
import { z } from 'zod';
import { type Durable, durable, durableExecutions } from '../src/index.js';
import { type BuildDurable, type RunDurableOptions, runDurable } from '../src/testing.js';

/** Dollars of us-east-1 for one operation, one byte written, and one byte kept for 14 days. */
const PRICES = { operation: 8e-6, writtenByte: 0.25e-9, keptByte: (0.15e-9 * 14) / 30 };

const Decision = z.object({ approved: z.boolean() });
const order = async (ctx: Durable) => {
  await ctx.step('charge', () => ({ charge: 'ch_1' }));
  await ctx.wait('cool off', { minutes: 10 });
  await ctx.step('mail', () => true);
};
const approval = async (ctx: Durable) => {
  await ctx.step('collect', () => ({ notes: 120 }));
  await ctx.callback('approval', Decision, { submit: () => {}, timeoutSeconds: 3600 });
  await ctx.step('write', () => ({ key: 'exports/7.json' }));
};
const ten = async (ctx: Durable) => {
  for (let step = 1; step <= 10; step += 1) await ctx.step(`step ${step}`, () => step);
};

const builds =
  (work: (ctx: Durable) => Promise<void>): BuildDurable =>
  (env) =>
    createApp({ ...env.options(), surfaces: [durableExecutions()] })
      .queue('orders', durable(work))
      .queue('orders.fifo', durable(work))
      .kinesis('orders', durable(work))
      .topic('orders', durable(work))
      .post(
        '/orders',
        durable(async (ctx) => json(200, (await work(ctx)) ?? null)),
      );

const arn = (service: string, name: string) => `arn:aws:${service}:eu-west-1:123456789012:${name}`;
const queue = (count: number) =>
  buildQueueEvent(
    arn('sqs', 'orders'),
    Array.from({ length: count }, () => ({ body: '{"id":7}' })),
  );
const fifo = (count: number) =>
  buildQueueEvent(
    arn('sqs', 'orders.fifo'),
    Array.from({ length: count }, (_, at) => ({ body: '{"id":7}', groupId: `g-${at}` })),
  );
const stream = (count: number) =>
  buildKinesisEvent(
    arn('kinesis', 'stream/orders'),
    Array.from({ length: count }, () => ({ data: '{"id":7}' })),
  );
const topic = buildTopicEvent(arn('sns', 'orders'), [{ message: '{"id":7}' }]);
const request = buildAPIGatewayV2Request('POST', '/orders', { body: '{"id":7}' });

/** The strings that the service keeps: input, names, results and errors. */
const bytesOf = (operations: readonly Operation[]) =>
  operations.reduce((sum, { Name = '', ExecutionDetails, StepDetails, ContextDetails, CallbackDetails }) => {
    const strings = [
      Name,
      ExecutionDetails?.InputPayload,
      StepDetails?.Result,
      ContextDetails?.Result,
      CallbackDetails?.Result,
    ];
    return sum + strings.reduce((bytes, text) => bytes + Buffer.byteLength(text ?? ''), 0);
  }, 0);

const INLINE = {};
const HANDOFF = { handoff: true };
const APPROVED = { callbacks: { approval: { approved: true } } };

it.each<[string, (ctx: Durable) => Promise<void>, object, number, RunDurableOptions]>([
  ['two steps and a wait: HTTP, `inline`', order, request, 1, INLINE],
  ['standard queue, batch of 1, `handoff`', order, queue(1), 1, HANDOFF],
  ['standard queue, batch of 10, `handoff`', order, queue(10), 10, HANDOFF],
  ['standard queue, batch of 10, `inline`', order, queue(10), 10, INLINE],
  ['FIFO queue, batch of 1, `inline`', order, fifo(1), 1, INLINE],
  ['FIFO queue, batch of 10, `inline`', order, fifo(10), 10, INLINE],
  ['data stream, batch of 10, `inline`', order, stream(10), 10, INLINE],
  ['topic, `handoff`', order, topic, 1, HANDOFF],
  ['topic, `inline`', order, topic, 1, INLINE],
  ['an approval between two steps: topic, `handoff`', approval, topic, 1, { ...HANDOFF, ...APPROVED }],
  ['ten steps: topic, `handoff`', ten, topic, 1, HANDOFF],
])('%s', async (name, work, event, records, options) => {
  const run = await runDurable(builds(work), event, { ...options, environment: { FRAMEWORK_DURABLE: '1' } });
  const all = [run, ...run.started];
  expect(all.every(({ status }) => status === 'SUCCEEDED')).toBe(true);
  const each = (count: (one: (typeof all)[number]) => number) =>
    all.reduce((sum, one) => sum + count(one), 0) / records;
  const operations = each((one) => one.operations.length);
  const bytes = Math.round(each((one) => bytesOf(one.operations)) / 100) / 10;
  const invocations = each((one) => one.invocations);
  const dollars = operations * PRICES.operation + bytes * 1000 * (PRICES.writtenByte + PRICES.keptByte);
  const row = [name, operations, `${bytes} KB`, invocations, `$${(dollars * 1e6).toFixed(2)}`].join(' | ');
  expect(readFileSync(new URL('../../../docs/durable.md', import.meta.url), 'utf8')).toContain(`| ${row} |`);
});
