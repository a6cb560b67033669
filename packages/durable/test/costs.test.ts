/** Operations, bytes and invocations of the examples in docs/durable.md: what AWS bills. A change of a number is a change of that page. */

import { createApp } from '@sallyport/dispatch/app';
import { buildQueueEvent, buildTopicEvent } from '@sallyport/testkit';
import type { Operation } from '@sallyport/testkit/durable';
import { z } from 'zod';
import { durable, durableExecutions } from '../src/index.js';
import { type BuildDurable, runDurable } from '../src/testing.js';

const Decision = z.object({ approved: z.boolean() });

const order: BuildDurable = (env) =>
  createApp({ ...env.options(), surfaces: [durableExecutions()] }).queue(
    'orders.fifo',
    durable(async (ctx) => {
      await ctx.step('charge', () => ({ charge: 'ch_1' }));
      await ctx.wait('cool off', { minutes: 10 });
      await ctx.step('mail', () => true);
    }),
  );

const approval: BuildDurable = (env) =>
  createApp({ ...env.options(), surfaces: [durableExecutions()] }).topic(
    'exports',
    durable(async (ctx) => {
      await ctx.step('collect', () => ({ notes: 120 }));
      await ctx.callback('approval', Decision, { submit: () => {}, timeoutSeconds: 3600 });
      await ctx.step('write', () => ({ key: 'exports/7.json' }));
    }),
  );

const ten: BuildDurable = (env) =>
  createApp({ ...env.options(), surfaces: [durableExecutions()] }).topic(
    'exports',
    durable(async (ctx) => {
      for (let step = 1; step <= 10; step += 1) await ctx.step(`step ${step}`, () => step);
    }),
  );

const batch = (size: number) =>
  buildQueueEvent(
    'arn:aws:sqs:eu-west-1:123456789012:orders.fifo',
    Array.from({ length: size }, (_, at) => ({ body: '{"id":7}', groupId: `g-${at}` })),
  );
const topic = buildTopicEvent('arn:aws:sns:eu-west-1:123456789012:exports', [{ message: '{"id":7}' }]);

/** Operations as AWS counts them, with the start of the execution. */
const counted = (operations: readonly Operation[]) => operations.length;

it.each([
  ['one record with two steps and a wait', order, batch(1), {}, { operations: 6, invocations: 2 }],
  ['ten such records in one batch', order, batch(10), {}, { operations: 51, invocations: 2 }],
  [
    'an approval between two steps',
    approval,
    topic,
    { callbacks: { approval: { approved: true } } },
    { operations: 5, invocations: 2 },
  ],
  ['ten steps', ten, topic, {}, { operations: 11, invocations: 1 }],
] as const)('%s', async (_name, build, event, options, expected) => {
  const run = await runDurable(build, event, { ...options, environment: { FRAMEWORK_DURABLE: '1' } });
  expect(run.status).toBe('SUCCEEDED');
  expect({ operations: counted(run.operations), invocations: run.invocations }).toEqual(expected);
});
