/** Values of another class for a prop of a CDK type: the error names the member or the call to use. */
import { SecureApp } from '@sallyport/secure';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { Stack } from 'aws-cdk-lib/core';
import {
  EventRuleTrigger,
  type Inventory,
  parseInventory,
  QueueTrigger,
  ScheduleTrigger,
  ServiceFunction,
  ServiceQueue,
  ServiceWiring,
} from '../src/index.js';
import { newApp } from './support/synth.js';

const stack = new Stack(newApp(), 'S');
const service = new ServiceFunction(stack, 'Api', { code: Code.fromInline('x') });
const orders = new ServiceQueue(stack, 'Orders');
const inventory: Inventory = {
  version: 1,
  container: 'secure',
  routes: [],
  triggers: [{ kind: 'queue', name: 'orders' }],
};
const wiring = new ServiceWiring(stack, 'Wiring', { fn: service.fn, inventory });
const { fn } = service;

it.each<[what: string, text: string, run: () => unknown]>([
  [
    'a ServiceFunction where a function is wanted',
    'fn, got an object (ServiceFunction), expected a function: its .fn',
    () => new QueueTrigger(stack, 'A', { fn: service as never, queue: orders.queue }),
  ],
  [
    'a ServiceQueue where a queue is wanted',
    'queue, got an object (ServiceQueue), expected a queue: its .queue',
    () => new QueueTrigger(stack, 'B', { fn, queue: orders as never }),
  ],
  [
    'a ServiceQueue for the handler of a queue',
    'queue, got an object (ServiceQueue), expected a queue: its .queue',
    () => wiring.queue('orders', orders as never),
  ],
  [
    'a string where a schedule of a rule is wanted',
    'schedule, got "rate(5 minutes)", expected a Schedule, made by Schedule.rate(…) or Schedule.cron(…)',
    () => new EventRuleTrigger(stack, 'C', { fn, schedule: 'rate(5 minutes)' as never }),
  ],
  [
    'the options of cron() where a schedule of a rule is wanted',
    'expected a Schedule, made by Schedule.rate(…) or Schedule.cron(…)',
    () => new EventRuleTrigger(stack, 'D', { fn, schedule: { minute: '5' } as never }),
  ],
  [
    'a string where a schedule is wanted',
    'expected a ScheduleExpression, made by ScheduleExpression.rate(…) or ScheduleExpression.cron(…)',
    () => new ScheduleTrigger(stack, 'E', { fn, schedule: 'rate(5 minutes)' as never }),
  ],
  [
    'an application where an inventory is wanted',
    'got an object (SecureApp), expected an inventory: toInventory(app)',
    () => parseInventory(new SecureApp({ principalResolver: () => null })),
  ],
  ['a number where an inventory is wanted', 'got 5, expected an inventory', () => parseInventory(5)],
])('%s', (_what, text, run) => {
  expect(run).toThrow(text);
});
