/** Trap 11: a logger, metric, span or notifier that throws changes nothing. */

import type { Logger } from '@sallyport/core';
import { createErrorNotifier, createLogger } from '@sallyport/core/observability';
import { json } from '@sallyport/http';
import { buildAPIGatewayV2Request, buildEventBusEvent, buildQueueEvent } from '@sallyport/testkit';
import { durable } from '../src/index.js';
import { type App, type Ran, runExecution } from './run.js';

/** The hook of the run, and the hooks that were called. */
let current = '';
const called = new Set<string>();
const fails = (): never => {
  called.add(current);
  throw new Error('hook');
};
const rejects = async () => fails();
const LOGGER: Logger = {
  debug: fails,
  info: fails,
  warn: fails,
  error: fails,
  isEnabled: () => true,
  with: () => LOGGER,
};
const SPAN = { set() {}, error() {}, end() {}, run: (run: () => unknown) => run() };
const spans = (own: object) => ({ observability: { span: { start: () => ({ ...SPAN, ...own }) } } });
const notifier = (publish: () => unknown) => ({
  log: createLogger({
    write() {},
    sinks: [createErrorNotifier({ publish, topicArn: 'arn:aws:sns:eu-west-1:123456789012:errors' })],
  }),
});

const HOOKS: readonly [string, object][] = [
  ['a logger', { log: LOGGER }],
  ['a hook of records', { observability: { log: fails } }],
  ['a hook of records that rejects', { observability: { log: rejects } }],
  ['a hook of metrics', { observability: { metric: fails } }],
  ['a hook of metrics that rejects', { observability: { metric: rejects } }],
  ['a hook of spans', { observability: { span: { start: fails } } }],
  ['the member set of a span', spans({ set: fails })],
  ['the member error of a span', spans({ error: fails })],
  ['the member end of a span', spans({ end: fails })],
  ['the member run of a span', spans({ run: fails })],
  ['a notifier', notifier(fails)],
  ['a notifier that rejects', notifier(rejects)],
  ['a sink of the logger', { log: createLogger({ write() {}, sinks: [{ take: fails }] }) }],
  ['the output of the logger', { log: createLogger({ write: fails }) }],
];

const work = async (ctx: Parameters<Parameters<typeof durable>[0]>[0], isBroken: boolean) => {
  const { log, span, metric } = ctx as unknown as Out;
  log.info('begins');
  metric.call(ctx, 'Begun', 1);
  await ctx.step('first', (step) => {
    step.log.warn('in step');
    return span.call(ctx, 'inside', () => 'recorded');
  });
  await ctx.wait('pause', { minutes: 1 });
  log.with({ more: 1 }).error('after the wait');
  await ctx
    .step('fails', () => Promise.reject(new Error('broken')), { retry: { attempts: 2, delaySeconds: 1 } })
    .catch(() => {});
  if (isBroken) throw new Error('broken');
  return 'done';
};
interface Out {
  readonly log: { info(text: string): void; error(text: string): void; with(fields: object): Out['log'] };
  metric(name: string, value: number): void;
  span<T>(name: string, run: () => T): T;
}

const EXECUTIONS: readonly [string, (app: App) => unknown, object][] = [
  [
    'a batch with a failed record',
    (app) =>
      app.queue(
        'orders',
        durable(async (ctx, { body }) => void (await work(ctx, body === 'bad'))),
      ),
    buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:orders', [
      { messageId: 'm-0', body: 'good' },
      { messageId: 'm-1', body: 'bad' },
    ]),
  ],
  [
    'a request',
    (app) =>
      app.post(
        '/orders',
        durable(async (ctx) => json(201, await work(ctx, false))),
      ),
    buildAPIGatewayV2Request('POST', '/orders'),
  ],
  [
    'an execution that fails',
    (app) =>
      app.eventBus(
        { source: 'shop' },
        durable((ctx) => work(ctx, true)),
      ),
    buildEventBusEvent({ source: 'shop', detailType: 'Ordered', detail: {} }),
  ],
];

/** The data that the service and the caller receive. */
const received = ({ status, result, error, invocations, checkpoints, operations }: Ran) => ({
  status,
  result: result?.replace(/"x-request-id":"[^"]*"/, ''),
  error: error?.ErrorMessage,
  invocations,
  checkpoints,
  operations: operations.map(({ Type, Name, Status, StepDetails }) => [Type, Name, Status, StepDetails?.Result]),
});

test('executions are the same with each hook that throws', async () => {
  for (const [execution, register, event] of EXECUTIONS) {
    const plain = received(await runExecution(register, event));
    for (const [hook, container] of HOOKS) {
      current = hook;
      const ran = await runExecution(register, event, { container });
      expect({ execution, hook, ...received(ran) }).toEqual({ execution, hook, ...plain });
    }
    current = 'onFailure';
    expect(received(await runExecution(register, event, { onFailure: fails }))).toEqual(plain);
  }
  expect([...called].sort()).toEqual([...HOOKS.map(([hook]) => hook), 'onFailure'].sort());
});
