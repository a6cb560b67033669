/**
 * The 52 wrong usages of the examination of 2026-11-23, each with the code of its rejection. Usages that pass are harmless, or only AWS can reject them: the reason is
 * next to each. `at synth` is a finding of the whole tree, which the CDK reports in a separate error.
 */
import { writeFileSync } from 'node:fs';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Code, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Duration, Stack } from 'aws-cdk-lib/core';
import {
  ApiAuthorization,
  ApiDomain,
  ErrorNotifications,
  EventRuleTrigger,
  FunctionUrl,
  FunctionUrlAuth,
  HttpApi,
  type Inventory,
  inventoryFromEntry,
  inventoryFromFile,
  JobsTable,
  McpServer,
  ObjectBucket,
  parseInventory,
  QueueTrigger,
  RestApi,
  RestEndpoint,
  ServiceAlarms,
  ServiceFunction,
  ServiceQueue,
  ServiceWiring,
  TableStreamTrigger,
  TopicTrigger,
} from '../src/index.js';
import { newFolder } from './support/folders.js';
import { newApp } from './support/synth.js';

const folder = newFolder();
const inv = (triggers: readonly object[] = [], routes: readonly object[] = []) =>
  ({ version: 1, container: 'secure', routes, triggers }) as Inventory;

function S(props: object = {}) {
  const app = newApp();
  const stack = new Stack(app, 'S');
  const { fn } = new ServiceFunction(stack, 'Api', { code: Code.fromInline('x'), ...props });
  return { app, stack, fn };
}

const USAGES: readonly (readonly [name: string, code: string | undefined, run: () => unknown])[] = [
  [
    'unknown prop',
    'constructs.invalid_prop',
    () => {
      S({ memory: 512 });
    },
  ],
  [
    'memory 64',
    'constructs.invalid_prop',
    () => {
      S({ memorySize: 64 });
    },
  ],
  [
    'timeout as number',
    'constructs.invalid_prop',
    () => {
      S({ timeout: 30 });
    },
  ],
  [
    'timeout 20 min',
    'constructs.invalid_prop',
    () => {
      S({ timeout: Duration.minutes(20) });
    },
  ],
  [
    'python runtime',
    'constructs.invalid_prop',
    () => {
      S({ runtime: Runtime.PYTHON_3_12 });
    },
  ],
  [
    'node18',
    'constructs.invalid_prop',
    () => {
      S({ runtime: Runtime.NODEJS_18_X });
    },
  ],
  [
    'entry missing file',
    'constructs.bundling_failed',
    () => {
      const st = new Stack(newApp(), 'S');
      new ServiceFunction(st, 'F', { entry: 'nope.ts' });
    },
  ],
  [
    'entry with syntax error',
    'constructs.bundling_failed',
    () => {
      writeFileSync(`${folder}/bad.ts`, 'export const x = ;');
      const st = new Stack(newApp(), 'S');
      new ServiceFunction(st, 'F', { entry: `${folder}/bad.ts` });
    },
  ],
  [
    'entry and code',
    'constructs.invalid_prop',
    () => {
      S({ entry: 'a.ts' });
    },
  ],
  [
    'handler export that entry lacks',
    'constructs.invalid_prop',
    () => {
      writeFileSync(`${folder}/ok.ts`, 'export const handler = async () => 1;');
      const st = new Stack(newApp(), 'S');
      new ServiceFunction(st, 'F', { entry: `${folder}/ok.ts`, handler: 'index.main' });
    },
  ],
  [
    'handler file that bundle lacks',
    'constructs.invalid_prop',
    () => {
      const st = new Stack(newApp(), 'S');
      new ServiceFunction(st, 'F', { entry: `${folder}/ok.ts`, handler: 'lambda.handler' });
    },
  ],
  [
    'secret literal',
    'constructs.reserved_variable',
    () => {
      S({ environment: { API_TOKEN: 'abc' } });
    },
  ],
  [
    'false secret: PARTITION_KEY',
    'constructs.reserved_variable',
    () => {
      S({ environment: { PARTITION_KEY: 'pk' } });
    },
  ],
  [
    'secret by value: DATABASE_URL',
    'constructs.reserved_variable',
    () => {
      S({ environment: { DATABASE_URL: 'postgres://u:hunter2@db/x', STRIPE: 'sk_live_51abcdefghijklmnop' } });
    },
  ],
  [
    'reserved env',
    'constructs.reserved_variable',
    () => {
      S({ environment: { AWS_REGION: 'x' } });
    },
  ],
  [
    'env of 5 KB',
    'at synth',
    () => {
      const { app } = S({ environment: { BIG: 'x'.repeat(5000) } });
      app.synth();
    },
  ],
  [
    'queue not registered',
    'constructs.not_registered',
    () => {
      const { stack, fn } = S();
      new ServiceWiring(stack, 'W', { fn, inventory: inv() }).queue(
        'orders',
        new ServiceQueue(stack, 'Q').queue as never,
      );
    },
  ],
  [
    'registered and not attached',
    'at synth',
    () => {
      const { app, stack, fn } = S();
      new ServiceWiring(stack, 'W', {
        fn,
        inventory: inv(
          [
            { kind: 'queue', name: 'orders' },
            { kind: 'event-bus', selector: { ruleName: 'x' } },
          ],
          [{ surface: 'http', method: 'GET', path: '/a', posture: 'public' }],
        ),
      });
      app.synth();
    },
  ],
  [
    'fifo name with standard queue',
    'constructs.invalid_prop',
    () => {
      const { stack, fn } = S();
      new ServiceWiring(stack, 'W', { fn, inventory: inv([{ kind: 'queue', name: 'a.fifo' }]) }).queue(
        'a.fifo',
        new ServiceQueue(stack, 'Q').queue as never,
      );
    },
  ],
  [
    'imported queue without visibility',
    'constructs.invalid_prop',
    () => {
      const { stack, fn } = S();
      new ServiceWiring(stack, 'W', { fn, inventory: inv([{ kind: 'queue', name: 'a' }]) }).queue(
        'a',
        Queue.fromQueueArn(stack, 'Q', 'arn:aws:sqs:eu-west-1:123456789012:a') as never,
      );
    },
  ],
  [
    'two wirings',
    'constructs.conflict',
    () => {
      const { stack, fn } = S();
      new ServiceWiring(stack, 'W', { fn, inventory: inv() });
      new ServiceWiring(stack, 'W2', { fn, inventory: inv() });
    },
  ],
  [
    'door of other function',
    'constructs.invalid_prop',
    () => {
      const { stack, fn } = S();
      const o = new ServiceFunction(stack, 'O', { code: Code.fromInline('x') });
      new ServiceWiring(stack, 'W', {
        fn,
        inventory: inv([], [{ surface: 'http', method: 'GET', path: '/a', posture: 'public' }]),
      }).http(new HttpApi(stack, 'H', { fn: o.fn }));
    },
  ],
  [
    'secure inventory lacking posture',
    'constructs.invalid_inventory',
    () => parseInventory(inv([], [{ surface: 'http', method: 'GET', path: '/a' }])),
  ],
  ['inventory version 2', 'constructs.invalid_inventory', () => parseInventory({ ...inv(), version: 2 })],
  ['inventory file missing', 'constructs.invalid_inventory', () => inventoryFromFile('nope.json')],
  [
    'inventoryFromEntry no export',
    'constructs.invalid_inventory',
    () => inventoryFromEntry({ entry: `${folder}/ok.ts` }),
  ],
  [
    'inventoryFromEntry env needed',
    'constructs.invalid_inventory',
    () => {
      writeFileSync(
        `${folder}/env.ts`,
        'const must=(n)=>{const v=process.env[n]; if(!v) throw new Error("missing " + n); return v}; export const t = must("TABLE"); export const app = 1;',
      );
      return inventoryFromEntry({ entry: `${folder}/env.ts` });
    },
  ],
  [
    'inventoryFromEntry throws plain object',
    'constructs.invalid_inventory',
    () => {
      writeFileSync(`${folder}/obj.ts`, 'throw { code: 42 }; export const app = 1;');
      return inventoryFromEntry({ entry: `${folder}/obj.ts` });
    },
  ],
  [
    'cors *',
    'constructs.invalid_prop',
    () => {
      const { stack, fn } = S();
      new HttpApi(stack, 'H', { fn, corsOrigins: ['*'] });
    },
  ],
  [
    'jwt on REST',
    'constructs.invalid_prop',
    () => {
      const { stack, fn } = S();
      new RestApi(stack, 'H', { fn, authorization: ApiAuthorization.jwt('https://i', ['a']) });
    },
  ],
  [
    'EDGE with streaming',
    'constructs.invalid_prop',
    () => {
      const { stack, fn } = S();
      new RestApi(stack, 'H', { fn, endpoint: RestEndpoint.EDGE }).addRoutes([
        { method: 'GET', path: '/a', streaming: true },
      ]);
    },
  ],
  [
    'URL NONE unwired',
    'at synth',
    () => {
      const { app, stack, fn } = S();
      new FunctionUrl(stack, 'U', { fn, auth: FunctionUrlAuth.APPLICATION });
      app.synth();
    },
  ],
  [
    'buffered door and 60 s',
    'at synth',
    () => {
      const { app, stack, fn } = S({ timeout: Duration.seconds(60) });
      new ServiceWiring(stack, 'W', {
        fn,
        inventory: inv(
          [{ kind: 'queue', name: 'q' }],
          [{ surface: 'http', method: 'GET', path: '/a', posture: 'public' }],
        ),
      })
        .http(new HttpApi(stack, 'H', { fn }))
        .queue('q', new ServiceQueue(stack, 'Q').queue as never);
      app.synth();
    },
  ],
  [
    'rest params mixed greedy',
    'constructs.invalid_prop',
    () => {
      const { stack, fn } = S();
      new RestApi(stack, 'H', { fn }).addRoutes([
        { method: 'GET', path: '/{id}' },
        { method: 'GET', path: '/{rest+}' },
      ]);
    },
  ],
  [
    'streaming with HttpApi MCP',
    'constructs.invalid_prop',
    () => {
      const { stack, fn } = S();
      new McpServer(stack, 'M', { fn, api: new HttpApi(stack, 'H', { fn }) });
    },
  ],
  [
    'bucket prefix with *',
    'constructs.invalid_prop',
    () => {
      const { stack, fn } = S();
      new ObjectBucket(stack, 'B').grantUpload(fn, 'a*');
    },
  ],
  [
    'duplicate table binding',
    'constructs.conflict',
    () => {
      const { stack, fn } = S();
      new JobsTable(stack, 'A').bindTo(fn);
      new JobsTable(stack, 'B').bindTo(fn);
    },
  ],
  [
    'table without stream',
    'constructs.invalid_prop',
    () => {
      const { stack, fn } = S();
      new TableStreamTrigger(stack, 'T', {
        fn,
        table: new Table(stack, 'Ta', { partitionKey: { name: 'id', type: AttributeType.STRING } }) as never,
      });
    },
  ],
  [
    'fifo topic',
    'constructs.invalid_prop',
    () => {
      const { stack, fn } = S();
      new TopicTrigger(stack, 'T', { fn, topic: new Topic(stack, 'To', { fifo: true }) as never });
    },
  ],
  [
    'schedule and pattern',
    'constructs.invalid_prop',
    () => {
      const { stack, fn } = S();
      new EventRuleTrigger(stack, 'T', { fn, schedule: Schedule.rate(Duration.hours(1)), pattern: { source: ['a'] } });
    },
  ],
  [
    'alarms without topic',
    'constructs.invalid_prop',
    () => {
      const { stack, fn } = S();
      new ServiceAlarms(stack, 'A', { fn } as never);
    },
  ],
  [
    'alarm topic with aws/sns key',
    'constructs.invalid_prop',
    () => {
      const { stack, fn } = S();
      new ServiceAlarms(stack, 'A', { fn, actionTopic: new ErrorNotifications(stack, 'E').topic as never });
    },
  ],
  [
    'existing table of wrong keys',
    'constructs.invalid_prop',
    () => {
      const { app, stack, fn } = S();
      new JobsTable(stack, 'J', {
        table: new Table(stack, 'Ta', { partitionKey: { name: 'id', type: AttributeType.STRING } }) as never,
      }).bindTo(fn);
      app.synth();
    },
  ],
  [
    'queue retention shorter than visibility',
    'constructs.invalid_prop',
    () => {
      const { app, stack } = S();
      new ServiceQueue(stack, 'Q', { retention: Duration.minutes(1), visibilityTimeout: Duration.hours(1) });
      app.synth();
    },
  ],
  [
    'fifo queueName without .fifo',
    'constructs.invalid_prop',
    () => {
      const { app, stack } = S();
      new ServiceQueue(stack, 'Q', { fifo: true, queueName: 'abc' });
      app.synth();
    },
  ],
  [
    'queueName ending .fifo, not fifo',
    'constructs.invalid_prop',
    () => {
      const { app, stack } = S();
      new ServiceQueue(stack, 'Q', { queueName: 'abc.fifo' });
      app.synth();
    },
  ],
  [
    'maxConcurrency above reserved',
    'constructs.invalid_prop',
    () => {
      const { app, stack, fn } = S({ reservedConcurrency: 5 });
      new QueueTrigger(stack, 'T', { fn, queue: new ServiceQueue(stack, 'Q').queue as never, maxConcurrency: 100 });
      app.synth();
    },
  ],
  // a kill switch: Lambda stops the function until the limit is raised.
  [
    'reservedConcurrency 0 with triggers',
    undefined,
    () => {
      const { app, stack, fn } = S({ reservedConcurrency: 0 });
      new QueueTrigger(stack, 'T', { fn, queue: new ServiceQueue(stack, 'Q').queue as never });
      app.synth();
    },
  ],
  // API Gateway accepts it: the bucket of a burst is only small.
  [
    'throttleBurst below rate',
    undefined,
    () => {
      const { app, stack, fn } = S();
      new HttpApi(stack, 'H', { fn, throttleRate: 1000, throttleBurst: 1 });
      app.synth();
    },
  ],
  [
    'two domains same name',
    'constructs.conflict',
    () => {
      const { app, stack } = S();
      const c = { certificateArn: 'arn:aws:acm:eu-west-1:1:certificate/a' } as never;
      new ApiDomain(stack, 'D', { domainName: 'a.example', certificate: c });
      new ApiDomain(stack, 'E', { domainName: 'a.example', certificate: c });
      app.synth();
    },
  ],
  [
    'cert in us-east-1 for regional',
    'constructs.invalid_prop',
    () => {
      const app = newApp();
      const st = new Stack(app, 'S', { env: { region: 'eu-west-1' } });
      const f = new ServiceFunction(st, 'F', { code: Code.fromInline('x') });
      new HttpApi(st, 'H', {
        fn: f.fn,
        domain: new ApiDomain(st, 'D', {
          domainName: 'a.example',
          certificate: { certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1' } as never,
        }),
      });
      app.synth();
    },
  ],
  // code without an entry is not readable: its handler is not checked.
  [
    'RestApi with only the MCP default, and handleLambda',
    undefined,
    () => {
      const { app, stack, fn } = S();
      new McpServer(stack, 'M', { fn });
      app.synth();
    },
  ],
];

it.each(USAGES)('%s', (_name, code, run) => {
  let found: string | undefined;
  try {
    run();
  } catch (error) {
    found = (error as { readonly code?: string }).code ?? 'at synth';
  }
  expect(found).toBe(code);
});
