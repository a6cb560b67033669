import { join } from 'node:path';
import { json } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';
import { s3Trigger } from '@sallyport/triggers';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { AttributeType, type ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Duration, Stack } from 'aws-cdk-lib/core';
import {
  ApiDomain,
  ConstructError,
  EventRuleTrigger,
  HttpApi,
  JobsTable,
  McpServer,
  ObjectBucket,
  QueueTrigger,
  RestApi,
  ServiceAlarms,
  ServiceFunction,
  type ServiceFunctionProps,
  ServiceQueue,
  ServiceWiring,
  type ServiceWiringProps,
  TopicTrigger,
  toInventory,
  WebSocketApi,
} from '../src/index.js';
import { newProject } from './support/folders.js';
import { newFn } from './support/function.js';
import { messageOf, newApp, newStack, propertiesOf, templateOf, variablesIn } from './support/synth.js';

const code = Code.fromInline('exports.handler = 1');
const nothing = () => undefined;
const ok = () => json(200, {});

function newService(
  register: (app: SecureApp) => unknown = nothing,
  props: Partial<ServiceWiringProps> = {},
  fnProps: Partial<ServiceFunctionProps> = {},
) {
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', { code, ...fnProps });
  const app = new SecureApp();
  register(app);
  return { stack, fn, wiring: new ServiceWiring(stack, 'Wiring', { fn, inventory: toInventory(app), ...props }) };
}

describe('a timeout above 29 s with doors that buffer', () => {
  const timeout = Duration.minutes(5);
  const register = (app: SecureApp) => app.get('/a', ok, Public());
  it('is accepted with a reason', () => {
    const { stack, fn, wiring } = newService(
      register,
      { allowLongTimeout: 'the queue "reports" needs 5 minutes' },
      { timeout },
    );
    wiring.http(new HttpApi(stack, 'H', { fn }));
    expect(messageOf(() => templateOf(stack))).toBe('');
  });
  it('is rejected without a reason', () => {
    const { stack, fn, wiring } = newService(register, {}, { timeout });
    wiring.http(new HttpApi(stack, 'H', { fn }));
    expect(messageOf(() => templateOf(stack))).toContain(
      'at most 29 s, a streaming route, or allowLongTimeout with the reason',
    );
  });
});

it('an error of the bundle reaches the caller unchanged', () => {
  const entry = join(newProject({ 'a.ts': 'export const handler = (' }), 'a.ts');
  let caught: unknown;
  try {
    new ServiceFunction(newStack(), 'Api', { entry });
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(ConstructError);
  expect(caught).toMatchObject({ code: 'constructs.bundling_failed', path: 'Test/Api' });
});

it.each(['/a~b', '/x;y', '/a=b', "/it's", '/caf%C3%A9', '/users/@me', '/a!b', '/a,b'])(
  'a REST API names the path %s, which it cannot route',
  (path) => {
    const stack = newStack();
    const api = new RestApi(stack, 'Api', { fn: newFn(stack) });
    expect(() => api.addRoutes([{ method: 'GET', path }])).toThrow(
      expect.failure(
        'constructs.invalid_prop',
        'RestApi: path',
        `got ${JSON.stringify(path)}`,
        'addCatchAll',
        '(at Test/Api)',
      ),
    );
  },
);

it('routes whose paths differ in dashes have separate ids', () => {
  const stack = newStack();
  const api = new HttpApi(stack, 'Api', { fn: newFn(stack) });
  api.addRoutes(['/a/b', '/a--b', '/a/-b'].map((path) => ({ method: 'GET', path })));
  const sockets = new WebSocketApi(stack, 'Ws', { fn: newFn(stack, 'Two') });
  for (const key of ['a/b', 'a--b']) sockets.addRouteKey(key);
  expect(propertiesOf(templateOf(stack), 'AWS::ApiGatewayV2::Route')).toHaveLength(5);
});

it('a stack with more than 500 resources names the remedy', () => {
  const { stack, fn, wiring } = newService((app) => {
    for (let index = 0; index < 260; index += 1) app.get(`/r${index}/a`, ok, Public());
  });
  wiring.http(new RestApi(stack, 'Rest', { fn }));
  expect(() => templateOf(stack)).toThrow(
    expect.failure(
      undefined,
      /ServiceWiring: the stack Test has \d{3} resources/,
      '500',
      'wiring.http(api, { catchAll: true })',
    ),
  );
});

describe('variables', () => {
  it('above 4 KB are rejected at synth', () => {
    const stack = newStack();
    new ServiceFunction(stack, 'Api', { code, environment: { A: 'x'.repeat(4100) } });
    expect(() => templateOf(stack)).toThrow(
      expect.failure(undefined, /ServiceFunction: variables of at least 41\d\d bytes/, 'at most 4096 bytes'),
    );
  });

  it.each([
    ['DATABASE_URL', 'postgres://u:hunter2@db.example/orders'],
    ['STRIPE', 'sk_live_51H8abcdefghijklmnop'],
    ['AWS_TOOL', 'AKIAIOSFODNN7EXAMPLE'],
    ['PEM', '-----BEGIN PRIVATE KEY-----\nabc'],
    ['GITHUB', `ghp_${'0123456789abcdefghijklmnopqrstuvwxyz'}`],
    ['SLACK', `xoxb-${'123456789012-abcdefghijkl'}`],
  ])('%s with the value of a secret is rejected, and the message does not contain it', (name, value) => {
    const message = messageOf(() => new ServiceFunction(newStack(), 'Api', { code, environment: { [name]: value } }));
    expect(message).toContain(`variable ${name} has a literal value that looks like a secret`);
    expect(message).not.toContain(value);
  });

  it.each(['https://orders.example/a@b', 'postgres://db.example/orders', 'a:b@c'])(
    '%s is not reported as a secret',
    (value) => {
      expect(messageOf(() => new ServiceFunction(newStack(), 'Api', { code, environment: { URL: value } }))).toBe('');
    },
  );

  it('whose names only look like secrets can be stated', () => {
    const environment = { PARTITION_KEY: 'pk', PUBLIC_KEY: 'abc' };
    expect(messageOf(() => new ServiceFunction(newStack(), 'Api', { code, environment }))).toContain(
      'or its name in the prop notSecret',
    );
    const stack = newStack();
    new ServiceFunction(stack, 'Api', { code, environment, notSecret: ['PARTITION_KEY', 'PUBLIC_KEY'] });
    expect(variablesIn(templateOf(stack))).toMatchObject(environment);
    expect(
      messageOf(() => new ServiceFunction(newStack(), 'Api', { code, environment: {}, notSecret: ['OTHER'] })),
    ).toContain('notSecret names OTHER, which is not in environment');
  });
});

it.each([
  ['another partition key', { partitionKey: { name: 'id', type: AttributeType.STRING } }, 'keys id,'],
  ['no sort key', { partitionKey: { name: 'pk', type: AttributeType.STRING } }, 'keys pk,'],
])('a table with %s is rejected', (_name, keys, shown) => {
  const stack = newStack();
  expect(() => new JobsTable(stack, 'Jobs', { table: new Table(stack, 'T', keys) as ITable })).toThrow(
    expect.failure('constructs.invalid_prop', 'JobsTable: the table Test/T', shown),
  );
});

describe('concurrency and retention', () => {
  it.each([
    [5, 100, 'maxConcurrency, got 100, expected at most reservedConcurrency of the function, 5'],
    [0, undefined, 'a trigger of Test/Api/Resource, whose reservedConcurrency is 0'],
  ])('reservedConcurrency %s with maxConcurrency %s is found', (reservedConcurrency, maxConcurrency, message) => {
    const stack = newStack();
    const { fn } = new ServiceFunction(stack, 'Api', { code, reservedConcurrency });
    const { queue } = new ServiceQueue(stack, 'Q');
    const make = () => new QueueTrigger(stack, 'T', { fn, queue, ...(maxConcurrency && { maxConcurrency }) });
    const found = messageOf(make) || JSON.stringify(stack.node.findAll().flatMap(({ node }) => node.metadata));
    expect(found).toContain(message);
  });

  it('a retention below the visibility timeout is rejected, even if a trigger raises it', () => {
    const stack = newStack();
    expect(
      messageOf(
        () => new ServiceQueue(stack, 'A', { retention: Duration.minutes(1), visibilityTimeout: Duration.hours(1) }),
      ),
    ).toContain('retention, got 1 minute, expected at least the visibility timeout, 3600 s');
    const { fn } = new ServiceFunction(stack, 'Api', { code, timeout: Duration.minutes(5) });
    const { queue } = new ServiceQueue(stack, 'B', { retention: Duration.minutes(10) });
    expect(messageOf(() => new QueueTrigger(stack, 'T', { fn, queue }))).toContain(
      'retention of Test/B, got 10 minutes, expected at least the visibility timeout, 1800 s',
    );
  });
});

it('a certificate of another region is rejected', () => {
  const stack = newStack({ env: { region: 'eu-west-1', account: '123456789012' } });
  const certificate = Certificate.fromCertificateArn(stack, 'C', 'arn:aws:acm:us-east-1:123456789012:certificate/1');
  expect(() => new ApiDomain(stack, 'D', { domainName: 'api.example.com', certificate })).toThrow(
    expect.failure('constructs.invalid_prop', 'ApiDomain: certificate', 'us-east-1', 'eu-west-1', '(at Test/D)'),
  );
});

describe('parts in two stacks that would refer to each other', () => {
  const twoStacks = () => {
    const app = newApp();
    const state = new Stack(app, 'State');
    const stack = new Stack(app, 'Test');
    return { state, stack, fn: new ServiceFunction(stack, 'Api', { code }).fn };
  };
  it.each<[string, (parts: ReturnType<typeof twoStacks>) => unknown, string]>([
    [
      'a bucket',
      ({ state, stack, fn }) => {
        const surface = s3Trigger();
        surface.bucket('u', nothing);
        const wiring = new ServiceWiring(stack, 'W', {
          fn,
          inventory: toInventory(new SecureApp({ surfaces: [surface] })),
        });
        wiring.s3('u', new ObjectBucket(state, 'B').bucket as IBucket);
      },
      'bucket State/B/Resource',
    ],
    [
      'the failure queue of a rule',
      ({ state, stack, fn }) =>
        new EventRuleTrigger(stack, 'R', {
          fn,
          pattern: { source: ['a'] },
          failureQueue: new ServiceQueue(state, 'Q').deadLetterQueue,
        }),
      'failureQueue State/Q/DeadLetters',
    ],
    ['a WebSocket API', ({ state, fn }) => new WebSocketApi(state, 'Ws', { fn }), 'fn Test/Api/Resource'],
    ['an MCP server', ({ state, fn }) => new McpServer(state, 'M', { fn }), 'fn Test/Api/Resource'],
  ])('%s', (_name, make, label) => {
    const message = messageOf(() => make(twoStacks()));
    expect(message).toContain(`${label} is in another stack`);
    expect(message).toContain('CloudFormation rejects stacks that refer to each other');
  });
});

it('failure queues of triggers have an alarm, without being listed', () => {
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', { code });
  const alarms = new ServiceAlarms(stack, 'Alarms', { fn, actionTopic: new Topic(stack, 'On') });
  new TopicTrigger(stack, 'News', { fn, topic: new Topic(stack, 'N') });
  new EventRuleTrigger(stack, 'Paid', { fn, pattern: { source: ['a'] } });
  const orders = new ServiceQueue(stack, 'Orders');
  new QueueTrigger(stack, 'OrdersTrigger', { fn, queue: orders.queue });
  expect(alarms.alarms).toHaveLength(2);
  const queues = propertiesOf(templateOf(stack), 'AWS::CloudWatch::Alarm')
    .filter(({ MetricName }) => MetricName === 'ApproximateNumberOfMessagesVisible')
    .map(({ Dimensions }) => JSON.stringify(Dimensions).match(/"([A-Za-z]+)[0-9A-F]{8}","QueueName"/)?.[1]);
  expect(queues.sort()).toEqual(['ApiAsyncFailures', 'NewsFailures', 'OrdersDeadLetters', 'PaidFailures']);
});

it('options of the bundle can be stated with an entry', () => {
  const files = newProject({
    'a.ts': "import { value } from 'left-out'; import './b.js'; export const handler = () => value;",
    'b.ts': "export const lazy = () => import('./c.js');",
    'c.ts': 'export const c = 1;',
  });
  const stack = newStack();
  const props = { entry: join(files, 'a.ts'), external: ['left-out'], conditions: ['custom'], splitting: false };
  expect(messageOf(() => new ServiceFunction(stack, 'Api', props))).toBe('');
  expect(messageOf(() => new ServiceFunction(stack, 'B', { code, external: ['left-out'] }))).toContain(
    'external with code',
  );
});
