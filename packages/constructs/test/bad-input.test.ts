/** Input that AWS rejects at deployment, or that is harmless: each row of the first table is an error with its path, value and remedy. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SecureApp } from '@sallyport/secure';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Code, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { type App, AssetStaging, CfnParameter, Duration, Stack } from 'aws-cdk-lib/core';
import {
  AlbTarget,
  ApiDomain,
  ConstructError,
  EventRuleTrigger,
  FunctionUrl,
  HttpApi,
  inventoryFromEntry,
  KafkaTrigger,
  McpServer,
  QueueTrigger,
  RestApi,
  ScheduleTrigger,
  ServiceFunction,
  ServiceQueue,
  ServiceWiring,
  toInventory,
  WebSocketApi,
} from '../src/index.js';
import { newProject } from './support/folders.js';
import { newFn } from './support/function.js';
import { newApp, newStack, propertiesOf, templateOf } from './support/synth.js';

const env = { account: '123456789012', region: 'eu-west-1' };
const code = Code.fromInline('exports.handler = 1');
const long = 'x'.repeat(300);
const certificateOf = (at: Stack) =>
  Certificate.fromCertificateArn(at, 'Cert', 'arn:aws:acm:eu-west-1:123456789012:certificate/6f1f8e4c');

interface Place {
  readonly stack: Stack;
  readonly fn: IFunction;
  /** A stack in another region. */
  readonly far: Stack;
  /** A stack in another account. */
  readonly foreign: Stack;
}

function newPlace(): Place {
  const app = newApp();
  const stack = newStack({ env }, app);
  return {
    stack,
    fn: newFn(stack) as IFunction,
    far: new Stack(app, 'Far', { env: { ...env, region: 'us-east-1' } }),
    foreign: new Stack(app, 'Foreign', { env: { ...env, account: '999999999999' } }),
  };
}

const wiringOf = ({ stack, fn }: Place, register: (app: SecureApp) => unknown = () => undefined) => {
  const app = new SecureApp();
  register(app);
  return new ServiceWiring(stack, 'Wiring', { fn, inventory: toInventory(app) });
};

const elsewhere = 'function Test/Fn is in 123456789012, eu-west-1';

const REJECTED: readonly (readonly [what: string, text: string, path: string, act: (place: Place) => unknown])[] = [
  ['an HTTP API in another region', elsewhere, 'Far/D', ({ far, fn }) => new HttpApi(far, 'D', { fn })],
  ['a REST API in another account', elsewhere, 'Foreign/D', ({ foreign, fn }) => new RestApi(foreign, 'D', { fn })],
  ['a function URL in another region', elsewhere, 'Far/D', ({ far, fn }) => new FunctionUrl(far, 'D', { fn })],
  ['a target group in another region', elsewhere, 'Far/D', ({ far, fn }) => new AlbTarget(far, 'D', { fn })],
  ['a WebSocket API in another region', elsewhere, 'Far/D', ({ far, fn }) => new WebSocketApi(far, 'D', { fn })],
  [
    'a queue trigger in another region',
    elsewhere,
    'Far/T',
    ({ far, fn }) =>
      new QueueTrigger(far, 'T', {
        fn,
        queue: new ServiceQueue(far, 'Q', { visibilityTimeout: Duration.minutes(1) }).queue,
      }),
  ],
  [
    'a rule in another account',
    elsewhere,
    'Foreign/T',
    ({ foreign, fn }) => new EventRuleTrigger(foreign, 'T', { fn, schedule: Schedule.rate(Duration.days(1)) }),
  ],
  [
    'a rule with a name of 300 characters',
    'ruleName',
    'Test/T',
    ({ stack, fn }) =>
      new EventRuleTrigger(stack, 'T', { fn, schedule: Schedule.rate(Duration.days(1)), ruleName: long }),
  ],
  [
    'a consumer group of 300 characters',
    'consumerGroup',
    'Test/T',
    ({ stack, fn }) => new KafkaTrigger(stack, 'T', { fn, topic: 'a', bootstrapServers: ['a:1'], consumerGroup: long }),
  ],
  [
    'a topic of Kafka with 300 characters',
    'topic',
    'Test/T',
    ({ stack, fn }) => new KafkaTrigger(stack, 'T', { fn, topic: long, bootstrapServers: ['a:1'] }),
  ],
  [
    'an application with 300 characters',
    'application',
    'Test/W',
    ({ stack, fn }) =>
      new ServiceWiring(stack, 'W', { fn, inventory: toInventory(new SecureApp()), application: long }),
  ],
  [
    'a route key of 300 characters',
    'route key',
    'Test/W',
    ({ stack, fn }) => new WebSocketApi(stack, 'W', { fn }).addRouteKey(long),
  ],
  [
    'a token as the name of a queue',
    'name of a queue',
    'Test/Wiring',
    (place) =>
      wiringOf(place).queue(new CfnParameter(place.stack, 'P').valueAsString, new ServiceQueue(place.stack, 'Q').queue),
  ],
  [
    'a token as the name of a domain',
    'domainName',
    'Test/D',
    ({ stack }) =>
      new ApiDomain(stack, 'D', {
        domainName: new CfnParameter(stack, 'P').valueAsString,
        certificate: certificateOf(stack),
      }),
  ],
  [
    'a token as the name of a schedule',
    'scheduleName',
    'Test/T',
    ({ stack, fn }) =>
      new ScheduleTrigger(stack, 'T', {
        fn,
        schedule: Schedule.rate(Duration.days(1)) as never,
        scheduleName: new CfnParameter(stack, 'P').valueAsString,
      }),
  ],
  [
    'the name of a FIFO queue without .fifo',
    'queueName',
    'Test/Q',
    ({ stack }) => new ServiceQueue(stack, 'Q', { fifo: true, queueName: 'orders' }),
  ],
  [
    'the name of a standard queue with .fifo, whose dead-letter queue AWS would reject',
    'queueName',
    'Test/Q',
    ({ stack }) => new ServiceQueue(stack, 'Q', { queueName: 'orders.fifo' }),
  ],
  [
    'two domains with one name',
    'domainName api.example is the name of Test/A already',
    'Test/B',
    ({ stack }) => {
      const props = { domainName: 'api.example', certificate: certificateOf(stack) };
      new ApiDomain(stack, 'A', props);
      new ApiDomain(stack, 'B', props);
    },
  ],
];

it.each(REJECTED)('rejects %s', (_what, text, path, act) => {
  let thrown: unknown;
  try {
    act(newPlace());
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(ConstructError);
  const { message, path: found } = thrown as ConstructError;
  expect({ path: found, message }).toEqual({ path, message: expect.stringContaining(text) });
});

describe('is harmless, and accepted:', () => {
  it('no reserved concurrency, which stops the function on purpose', () => {
    const stack = newStack();
    const { fn } = new ServiceFunction(stack, 'Api', { code, reservedConcurrency: 0 });
    new QueueTrigger(stack, 'T', { fn, queue: new ServiceQueue(stack, 'Q').queue });
    expect(propertiesOf(templateOf(stack), 'AWS::Lambda::Function')[0]?.ReservedConcurrentExecutions).toBe(0);
  });

  it('a burst below the rate, which API Gateway accepts and which limits concurrent requests', () => {
    const stack = newStack();
    new HttpApi(stack, 'H', { fn: newFn(stack), throttleRate: 1000, throttleBurst: 1 });
    expect(propertiesOf(templateOf(stack), 'AWS::ApiGatewayV2::Stage')[0]).toMatchObject({
      DefaultRouteSettings: { ThrottlingBurstLimit: 1 },
    });
  });

  it('an MCP server before code that was bundled elsewhere: without `entry` the handler is unknown', () => {
    const stack = newStack();
    const { fn } = new ServiceFunction(stack, 'Api', { code });
    new McpServer(stack, 'M', { fn });
    expect(() => templateOf(stack)).not.toThrow();
  });

  it('ids of 300 characters: generated names are shorter', () => {
    const stack = newStack();
    const service = new ServiceFunction(stack, long, { code });
    new HttpApi(stack, `h${long.slice(1)}`, { fn: service.fn }).addCatchAll();
    const [api] = propertiesOf(templateOf(stack), 'AWS::ApiGatewayV2::Api');
    expect(String(api?.Name).length).toBeLessThanOrEqual(64);
  });
});

it('accepts an imported queue for discarded events', () => {
  const stack = newStack();
  const failureQueue = Queue.fromQueueArn(stack, 'Failed', 'arn:aws:sqs:eu-west-1:123456789012:failed') as IQueue;
  new EventRuleTrigger(stack, 'T', {
    fn: newFn(stack) as IFunction,
    schedule: Schedule.rate(Duration.days(1)),
    failureQueue,
  });
  expect(JSON.stringify(propertiesOf(templateOf(stack), 'AWS::Events::Rule')[0])).toContain(':failed');
});

it('reads an entry below a folder whose name has characters of URLs', () => {
  const folder = newProject({
    'a#b%20c ?/app.js': 'export const app = { routes: () => [], triggers: () => [], handleLambda: () => {} };',
  });
  const entry = join(folder, 'a#b%20c ?', 'app.js');
  expect(inventoryFromEntry({ entry })).toMatchObject({ version: 1, routes: [] });
});

it('excludes source maps from an asset, which is then less than 40% as large', () => {
  AssetStaging.clearAssetHashCache();
  const entry = join(import.meta.dirname, '../../../examples/notes/src/lambda.ts');
  const sizes = [true, false].map((sourceMaps) => {
    const stack = newStack();
    new ServiceFunction(stack, 'Api', { entry, sourceMaps, leaveOut: [], conditions: ['@sallyport/source'] });
    const { directory } = (stack.node.root as App).synth();
    const asset = readdirSync(directory).find((name) => name.startsWith('asset.')) ?? '';
    const files = readdirSync(join(directory, asset));
    return {
      maps: files.filter((name) => name.endsWith('.map')).length,
      bytes: files.reduce((sum, name) => sum + statSync(join(directory, asset, name)).size, 0),
    };
  });
  expect(sizes[0]?.maps).toBeGreaterThan(0);
  expect(sizes[1]?.maps).toBe(0);
  expect((sizes[1]?.bytes ?? 0) / (sizes[0]?.bytes ?? 1)).toBeLessThan(0.4);
});
