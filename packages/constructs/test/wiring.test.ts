import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { s3Trigger } from '@sallyport/triggers';
import { AttributeType, type ITable, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus, type IEventBus, Match, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { Code, FilterCriteria, FilterRule } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { FilterOrPolicy, SubscriptionFilter, Topic } from 'aws-cdk-lib/aws-sns';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { type App, CfnParameter, Duration, Stack } from 'aws-cdk-lib/core';
import {
  DataStream,
  type EventSelector,
  GraphqlApi,
  HttpApi,
  type Inventory,
  McpServer,
  ObjectBucket,
  parseInventory,
  QueueTrigger,
  ServiceFunction,
  type ServiceFunctionProps,
  ServiceQueue,
  ServiceWiring,
  toInventory,
  WebSocketApi,
} from '../src/index.js';
import { messageOf, newApp, newStack, propertiesOf, templateOf, variablesIn } from './support/synth.js';

const SCHEMA = fileURLToPath(new URL('judges/support/estate.graphql', import.meta.url));
const code = Code.fromInline('exports.handler = 1');
const nothing = () => undefined;
const ok = () => json(200, {});

function newSecureApp(register: (app: SecureApp) => void = () => undefined): Inventory {
  const app = new SecureApp({ principalResolver: () => null });
  register(app);
  return toInventory(app);
}

function newService(inventory: Inventory, props: Partial<ServiceFunctionProps> = {}) {
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', { code, ...props });
  return { stack, fn, wiring: new ServiceWiring(stack, 'Wiring', { fn, inventory }) };
}

type Service = ReturnType<typeof newService>;

const newTable = (stack: Stack) =>
  new Table(stack, 'Table', {
    partitionKey: { name: 'id', type: AttributeType.STRING },
    stream: StreamViewType.NEW_IMAGE,
  }) as ITable;

/** For each kind of trigger: how an application registers it, how a stack attaches it, and what is made. */
const KINDS: readonly {
  readonly kind: string;
  readonly register: (app: SecureApp) => void;
  readonly attach: (service: Service) => unknown;
  readonly label: string;
  readonly remedy: string;
  readonly made: string;
}[] = [
  {
    kind: 'a queue',
    register: (app) => app.queue('orders', nothing),
    attach: ({ stack, wiring }) => wiring.queue('orders', new ServiceQueue(stack, 'Q').queue),
    label: 'queue "orders"',
    remedy: 'wiring.queue("orders", …)',
    made: 'AWS::Lambda::EventSourceMapping',
  },
  {
    kind: 'a FIFO queue',
    register: (app) => app.queue('bills.fifo', nothing),
    attach: ({ stack, wiring }) => wiring.queue('bills.fifo', new ServiceQueue(stack, 'Q', { fifo: true }).queue),
    label: 'queue "bills.fifo"',
    remedy: 'wiring.queue("bills.fifo", …)',
    made: 'AWS::Lambda::EventSourceMapping',
  },
  {
    kind: 'a table stream',
    register: (app) => app.tableStream('notes', nothing),
    attach: ({ stack, wiring }) => wiring.tableStream('notes', newTable(stack)),
    label: 'table-stream "notes"',
    remedy: 'wiring.tableStream("notes", …)',
    made: 'AWS::Lambda::EventSourceMapping',
  },
  {
    kind: 'a data stream',
    register: (app) => app.kinesis('clicks', nothing),
    attach: ({ stack, wiring }) => wiring.kinesis('clicks', new DataStream(stack, 'S').stream),
    label: 'stream "clicks"',
    remedy: 'wiring.kinesis("clicks", …)',
    made: 'AWS::Lambda::EventSourceMapping',
  },
  {
    kind: 'a topic',
    register: (app) => app.topic('news', nothing),
    attach: ({ stack, wiring }) => wiring.topic('news', new Topic(stack, 'N')),
    label: 'topic "news"',
    remedy: 'wiring.topic("news", …)',
    made: 'AWS::SNS::Subscription',
  },
  {
    kind: 'an event bus',
    register: (app) => app.eventBus({ source: 'billing', detailType: 'InvoicePaid' }, nothing),
    attach: ({ wiring }) => wiring.eventBus({ detailType: 'InvoicePaid', source: 'billing' }),
    label: 'event-bus handler {"source":"billing","detailType":"InvoicePaid"}',
    remedy: 'wiring.eventBus({"source":"billing","detailType":"InvoicePaid"})',
    made: 'AWS::Events::Rule',
  },
  {
    kind: 'a schedule',
    register: (app) => app.eventBus({ ruleName: 'nightly' }, nothing),
    attach: ({ wiring }) => wiring.schedule('nightly', Schedule.rate(Duration.hours(1))),
    label: 'event-bus handler {"ruleName":"nightly"}',
    remedy: 'wiring.schedule("nightly", …)',
    made: 'AWS::Events::Rule',
  },
  {
    kind: 'an HTTP route',
    register: (app) => app.get('/health', ok, Public()),
    attach: ({ stack, fn, wiring }) => wiring.http(new HttpApi(stack, 'Http', { fn })),
    label: 'route GET /health',
    remedy: 'wiring.http(…)',
    made: 'AWS::ApiGatewayV2::Route',
  },
];

const synth = ({ stack }: Service) => (stack.node.root as App).synth();

describe.each(KINDS)('$kind', ({ register, attach, label, remedy, made }) => {
  it('is attached when both have it', () => {
    const service = newService(newSecureApp(register));
    attach(service);
    expect(propertiesOf(templateOf(service.stack), made)).toHaveLength(1);
  });

  it('fails at synth when the stack lacks it', () => {
    const service = newService(newSecureApp(register));
    expect(() => synth(service)).toThrow(
      expect.failure(undefined, `ServiceWiring: the application registers ${label}`, remedy, '(at Test/Wiring)'),
    );
  });

  it('fails immediately if the application lacks it', () => {
    const service = newService(newSecureApp((app) => app.queue('other', nothing)));
    expect(() => attach(service)).toThrow(
      expect.failure(
        'constructs.not_registered',
        'ServiceWiring: the stack attaches ',
        'queue "other"',
        '(at Test/Wiring)',
      ),
    );
  });
});

it('a GraphQL field and a WebSocket route that nothing attaches fail at synth, all in one message', () => {
  const service = newService(
    newSecureApp((app) => {
      app.appSyncField('Query', 'note', ok, Authenticated());
      app.webSocket('$connect', ok, Authenticated());
      app.queue('orders', nothing);
    }),
  );
  const message = messageOf(() => synth(service));
  for (const label of ['GraphQL field Query.note', 'WebSocket route "$connect"', 'queue "orders"']) {
    expect(message).toContain(`the application registers ${label}, the stack attaches none`);
  }
});

it('what is attached elsewhere needs a reason', () => {
  const inventory = newSecureApp((app) => app.queue('orders', nothing));
  const { stack, fn } = newService(newSecureApp());
  const second = new ServiceFunction(stack, 'Second', { code });
  const external = [{ kind: 'queue', name: 'orders', reason: 'the queue is mapped by the platform team' }];
  new ServiceWiring(stack, 'External', { fn: second.fn, inventory, external });
  expect(messageOf(() => templateOf(stack))).toBe('');
  const blank = [{ kind: 'queue', name: 'orders', reason: ' ' }];
  expect(() => new ServiceWiring(stack, 'W', { fn, inventory, external: blank })).toThrow(
    expect.failure('constructs.invalid_prop', 'ServiceWiring: external', 'got a list of 1', '(at Test/W)'),
  );
});

it('a handler of a bus that is attached elsewhere is named by its selector', () => {
  const inventory = newSecureApp((app) => {
    app.eventBus({ source: 'billing' }, nothing);
    app.eventBus({ source: 'shipping' }, nothing);
  });
  const { stack, fn } = newService(newSecureApp());
  const second = new ServiceFunction(stack, 'Second', { code });
  const reason = 'the rule is made by the platform team';
  expect(
    messageOf(() => new ServiceWiring(stack, 'W', { fn, inventory, external: [{ kind: 'event-bus', reason }] })),
  ).toContain('entries of the kind event-bus with a name (at Test/W)');
  const external = [{ kind: 'event-bus', name: '{"source":"billing"}', reason }];
  new ServiceWiring(stack, 'External', { fn: second.fn, inventory, external });
  const message = messageOf(() => templateOf(stack));
  expect(message).toContain('event-bus handler {"source":"shipping"}');
  expect(message).not.toContain('billing');
});

const ORDERS = newSecureApp((app) => {
  app.queue('orders', nothing);
  app.queue('bills.fifo', nothing);
  app.kinesis('clicks', nothing);
});

const REFUSED: readonly [string, (service: Service) => unknown, Error][] = [
  [
    'a standard queue under a FIFO name',
    ({ stack, wiring }) => wiring.queue('bills.fifo', new ServiceQueue(stack, 'Q').queue),
    expect.failure(
      'constructs.invalid_prop',
      'ServiceWiring: ',
      'queue "bills.fifo"',
      'Test/Q/Resource',
      'FIFO',
      '(at Test/Wiring)',
    ),
  ],
  [
    'a FIFO queue under a standard name',
    ({ stack, wiring }) => wiring.queue('orders', new ServiceQueue(stack, 'Q', { fifo: true }).queue),
    expect.failure(
      'constructs.invalid_prop',
      'ServiceWiring: ',
      'queue "orders"',
      'Test/Q/Resource',
      'FIFO',
      '(at Test/Wiring)',
    ),
  ],
  [
    'two queues for one handler',
    ({ stack, wiring }) => {
      wiring.queue('orders', new ServiceQueue(stack, 'Q').queue);
      wiring.queue('orders', new ServiceQueue(stack, 'R').queue);
    },
    expect.failure('constructs.conflict', 'ServiceWiring: queue "orders" is attached twice', '(at Test/Wiring)'),
  ],
  [
    'a token for the name of a handler',
    ({ stack, wiring }) => wiring.queue(new CfnParameter(stack, 'P').valueAsString, new ServiceQueue(stack, 'Q').queue),
    expect.failure('constructs.literal_needed', 'ServiceWiring: name of a queue', 'got a token', '(at Test/Wiring)'),
  ],
  [
    'a second wiring of one function',
    ({ stack, fn }) => new ServiceWiring(stack, 'Second', { fn, inventory: ORDERS }),
    expect.failure(
      'constructs.conflict',
      'ServiceWiring: a second wiring of Test/Api/Resource',
      'Test/Wiring',
      '(at Test/Second)',
    ),
  ],
  [
    'an unknown version of the inventory',
    ({ stack }) =>
      new ServiceWiring(stack, 'W', {
        fn: new ServiceFunction(stack, 'F', { code }).fn,
        inventory: { ...ORDERS, version: 2 } as never,
      }),
    expect.failure('constructs.invalid_inventory', 'inventory: version', 'got 2'),
  ],
  [
    'a door of another function',
    ({ stack, wiring }) => wiring.http(new HttpApi(stack, 'H', { fn: new ServiceFunction(stack, 'F', { code }).fn })),
    expect.failure(
      'constructs.invalid_prop',
      'ServiceWiring: ',
      'Test/H',
      'Test/F/Resource',
      'Test/Api/Resource',
      '(at Test/Wiring)',
    ),
  ],
  [
    'names that somebody else has set',
    ({ stack, fn, wiring }) => {
      fn.addEnvironment('FRAMEWORK_EVENT_SOURCES', '{}');
      wiring.queue('orders', new ServiceQueue(stack, 'Q').queue);
    },
    expect.failure(
      'constructs.conflict',
      'ServiceWiring: ',
      'FRAMEWORK_EVENT_SOURCES',
      'Test/Api/Resource',
      '(at Test/Wiring)',
    ),
  ],
];

it.each(REFUSED)('rejects %s', (_name, run, failure) => {
  expect(() => run(newService(ORDERS))).toThrow(failure);
});

it('rejects the open container on a door that accepts any caller', () => {
  const app = createApp();
  app.get('/health', ok);
  const service = newService(toInventory(app));
  const api = new HttpApi(service.stack, 'H', { fn: service.fn });
  expect(() => service.wiring.http(api)).toThrow(
    expect.failure('constructs.invalid_prop', 'ServiceWiring: ', 'Test/H', 'allowOpenContainer', '(at Test/Wiring)'),
  );
});

it('rejects a timeout above 29 s when no door streams', () => {
  const service = newService(
    newSecureApp((app) => app.get('/health', ok, Public())),
    { timeout: Duration.seconds(30) },
  );
  service.wiring.http(new HttpApi(service.stack, 'H', { fn: service.fn }));
  expect(() => synth(service)).toThrow(
    expect.failure(undefined, 'ServiceWiring: timeout', 'got 30', 'at most 29', 'allowLongTimeout', '(at Test/Wiring)'),
  );
});

it('finds a trigger that was created outside the wiring', () => {
  const service = newService(newSecureApp());
  new QueueTrigger(service.stack, 'Beside', { fn: service.fn, queue: new ServiceQueue(service.stack, 'Q').queue });
  expect(() => synth(service)).toThrow(
    expect.failure(undefined, 'ServiceWiring: Test/Beside', 'queue', '(at Test/Wiring)'),
  );
});

/** Every source of one application, in two stacks. */
function newPlatform() {
  const app = newApp();
  const state = new Stack(app, 'State');
  const stack = new Stack(app, 'Service');
  const { fn } = new ServiceFunction(stack, 'Api', { code });
  const inventory = newSecureApp((secure) => {
    secure.queue('orders', nothing);
    secure.queue('same', nothing);
    secure.tableStream('notes', nothing);
    secure.kinesis('clicks', nothing);
    secure.topic('news', nothing);
    secure.eventBus({ source: 'billing' }, nothing);
    secure.eventBus({ ruleName: 'nightly' }, nothing);
    secure.get('/health', ok, Public());
    secure.appSyncField('Query', 'note', ok, Public());
    secure.webSocket('$default', ok, Authenticated());
  });
  const wiring = new ServiceWiring(stack, 'Wiring', { fn, inventory });
  wiring.queue('orders', new ServiceQueue(state, 'Orders').queue, {
    batchSize: 5,
    maxConcurrency: 7,
    filters: [FilterCriteria.filter({ body: { state: FilterRule.isEqual('paid') } })],
  });
  const same = Queue.fromQueueArn(stack, 'Same', 'arn:aws:sqs:eu-west-1:123456789012:same') as IQueue;
  wiring.queue('same', same, { visibilityTimeout: Duration.minutes(5) });
  wiring.tableStream('notes', newTable(stack));
  wiring.kinesis('clicks', new DataStream(stack, 'Clicks').stream);
  wiring.topic('news', new Topic(stack, 'News'), {
    filterPolicy: { place: SubscriptionFilter.stringFilter({ allowlist: ['home'] }) },
  });
  wiring.eventBus({ source: 'billing' }, { pattern: { detail: { total: Match.greaterThan(100) } } });
  wiring.schedule('nightly', Schedule.rate(Duration.hours(1)));
  wiring.http(new HttpApi(stack, 'Http', { fn }));
  wiring.graphQl(new GraphqlApi(stack, 'GraphQl', { fn, schemaFile: SCHEMA }));
  wiring.webSocket(new WebSocketApi(stack, 'Sockets', { fn }));
  return { app, stack };
}

it('maps the names of handlers to the names of the sources, even across stacks, and leaves out equal ones', () => {
  const { stack } = newPlatform();
  const { FRAMEWORK_EVENT_SOURCES: names } = variablesIn(templateOf(stack));
  const [, parts] = (names as { 'Fn::Join': [string, readonly unknown[]] })['Fn::Join'];
  const text = parts.map((part) => (typeof part === 'string' ? part : 'X')).join('');
  expect(JSON.parse(text)).toEqual({
    queue: { orders: 'X' },
    tableStream: { notes: 'X' },
    kinesis: { clicks: 'X' },
    topic: { news: 'X' },
    rule: { nightly: expect.stringMatching(/^Service-Wiring-Schedule-/) },
  });
});

it('writes the manifest of functions, limits, mappings and names', () => {
  const { app } = newPlatform();
  const { directory } = app.synth();
  const manifest = JSON.parse(readFileSync(join(directory, 'sallyport.json'), 'utf8')) as unknown;
  const stream = {
    batchSize: 100,
    reportBatchItemFailures: true,
    maximumRetryAttempts: 10,
    maxRecordAgeMs: 86_400_000,
    bisect: true,
    onFailure: true,
  };
  expect(manifest).toEqual({
    version: 1,
    functions: [
      {
        path: 'Service/Api',
        handler: 'handler',
        runtime: 'nodejs24.x',
        memoryMb: 256,
        timeoutMs: 10_000,
        environment: { FRAMEWORK_STREAM_FAILURE_IDENTIFIER: 'sequenceNumber' },
        sources: [
          {
            kind: 'queue',
            name: 'orders',
            settings: {
              batchSize: 5,
              reportBatchItemFailures: true,
              filters: [{ body: { state: ['paid'] } }],
              invocations: 7,
              visibilityTimeoutMs: 60_000,
              maxReceiveCount: 5,
              deadLetter: true,
            },
          },
          { kind: 'queue', name: 'same', settings: { batchSize: 10, reportBatchItemFailures: true } },
          { kind: 'table-stream', name: 'notes', settings: stream },
          { kind: 'stream', name: 'clicks', settings: stream },
          {
            kind: 'topic',
            name: 'news',
            settings: { onFailure: true, filterPolicy: { place: ['home'] } },
          },
          {
            kind: 'event-bus',
            name: 'default',
            selector: { source: 'billing' },
            pattern: { source: ['billing'], detail: { total: [{ numeric: ['>', 100] }] } },
            settings: { onFailure: true },
          },
          { kind: 'schedule', name: 'nightly', expression: 'rate(1 hour)', settings: { onFailure: true } },
        ],
        doors: [
          { kind: 'http-api', streams: false, routes: ['GET /health'], stage: '$default' },
          { kind: 'graphql' },
          { kind: 'websocket', stage: 'live' },
        ],
      },
    ],
  });
});

/** The rows of the manifest for one application in one stack. */
function sourcesOf(register: (app: SecureApp) => void, attach: (service: Service) => void) {
  const service = newService(newSecureApp(register));
  attach(service);
  const { directory } = (service.stack.node.root as App).synth();
  const manifest = JSON.parse(readFileSync(join(directory, 'sallyport.json'), 'utf8')) as {
    readonly functions: readonly { readonly sources: readonly object[] }[];
  };
  return manifest.functions[0]?.sources;
}

describe('patterns in the manifest', () => {
  const billing = { source: 'billing', detailType: 'InvoicePaid' };

  it('has the policy for the message with its scope', () => {
    const filterPolicyWithMessageBody = {
      order: FilterOrPolicy.policy({
        price: FilterOrPolicy.filter(SubscriptionFilter.numericFilter({ greaterThan: 100 })),
      }),
    };
    const sources = sourcesOf(
      (app) => app.topic('news', nothing),
      ({ stack, wiring }) => wiring.topic('news', new Topic(stack, 'News'), { filterPolicyWithMessageBody }),
    );
    expect(sources).toMatchObject([
      {
        settings: {
          filterPolicy: { order: { price: [{ numeric: ['>', 100] }] } },
          filterPolicyScope: 'MessageBody',
        },
      },
    ]);
  });

  it('leaves out values that are known only at deployment', () => {
    const sources = sourcesOf(
      (app) => app.eventBus(billing, nothing),
      ({ stack, wiring }) => {
        const rule = new Rule(stack, 'Other', { schedule: Schedule.rate(Duration.hours(1)) });
        wiring.eventBus(billing, { pattern: { resources: ['arn:x', rule.ruleArn], account: ['123456789012'] } });
      },
    );
    expect(sources).toMatchObject([
      { pattern: { source: ['billing'], 'detail-type': ['InvoicePaid'], account: ['123456789012'] } },
    ]);
    expect(JSON.stringify(sources)).not.toContain('resources');
  });

  it.each<[string, (stack: Stack) => IEventBus, object]>([
    ['of a bus with a name', (stack) => EventBus.fromEventBusName(stack, 'Bus', 'shop'), { name: 'shop' }],
    ['of a bus that the stack names', (stack) => new EventBus(stack, 'Bus') as IEventBus, {}],
  ])('has the rule %s', (_name, bus, row) => {
    const sources = sourcesOf(
      (app) => app.eventBus(billing, nothing),
      ({ stack, wiring }) => wiring.eventBus(billing, { bus: bus(stack) }),
    );
    const pattern = { source: ['billing'], 'detail-type': ['InvoicePaid'] };
    expect(sources).toEqual([{ kind: 'event-bus', ...row, selector: billing, pattern, settings: { onFailure: true } }]);
  });

  it('rejects a pattern that repeats the selector', () => {
    const { wiring } = newService(newSecureApp((app) => app.eventBus(billing, nothing)));
    expect(() => wiring.eventBus(billing, { pattern: { source: ['shop'] } })).toThrow(
      expect.failure('constructs.invalid_prop', 'ServiceWiring: pattern.source', '(at Test/Wiring)'),
    );
  });

  it('leaves out an expression that is known only at deployment', () => {
    const sources = sourcesOf(
      (app) => app.eventBus({ ruleName: 'nightly' }, nothing),
      ({ stack, wiring }) => {
        const every = new CfnParameter(stack, 'Every', { type: 'String' });
        wiring.schedule('nightly', Schedule.expression(every.valueAsString));
      },
    );
    expect(sources).toEqual([{ kind: 'schedule', name: 'nightly', settings: { onFailure: true } }]);
  });
});

describe('schedules', () => {
  const nightly = (selector: EventSelector) => {
    const service = newService(newSecureApp((app) => app.eventBus(selector, nothing)));
    return () => service.wiring.schedule('nightly', Schedule.rate(Duration.hours(1)));
  };

  // https://docs.aws.amazon.com/eventbridge/latest/userguide/event-reference.html: the source of a rule's events is aws.events.
  it.each<EventSelector>([
    { detailType: 'Scheduled Event' },
    { source: 'aws.events' },
    { source: 'aws.events', detailType: 'Scheduled Event' },
    { ruleName: 'nightly' },
  ])('a rule reaches the handler of %j', (selector) => {
    expect(messageOf(nightly(selector))).toBe('');
  });

  it.each<EventSelector>([
    { source: 'aws.scheduler', detailType: 'Scheduled Event' },
    { source: 'billing', detailType: 'Scheduled Event' },
    { source: 'aws.events', detailType: 'Schema Created' },
    { ruleName: 'hourly', detailType: 'Scheduled Event' },
  ])('a rule never reaches the handler of %j and is rejected', (selector) => {
    expect(messageOf(nightly(selector))).toContain('{"ruleName":"nightly"}');
  });

  it('EventBridge Scheduler invokes the function itself, so no rule is made for its events', () => {
    const selector = { source: 'aws.scheduler', detailType: 'Scheduled Event' };
    const { wiring } = newService(newSecureApp((app) => app.eventBus(selector, nothing)));
    expect(() => wiring.eventBus(selector)).toThrow(
      expect.failure(
        'constructs.invalid_prop',
        'ServiceWiring: ',
        '{"source":"aws.scheduler","detailType":"Scheduled Event"}',
        'wiring.scheduler',
        'wiring.schedule',
        '(at Test/Wiring)',
      ),
    );
  });
});

it('an inventory is the same after JSON.stringify and JSON.parse', () => {
  expect(parseInventory(JSON.parse(JSON.stringify(ORDERS)))).toEqual({
    version: 1,
    container: 'secure',
    routes: [],
    triggers: [
      { kind: 'queue', name: 'orders' },
      { kind: 'queue', name: 'bills.fifo' },
      { kind: 'stream', name: 'clicks' },
    ],
  });
});

it('the manifest contains how batches are collected, the filters of a bucket, and the documents of an MCP server', () => {
  const surface = s3Trigger();
  surface.bucket('uploads', nothing);
  const secure = new SecureApp({ surfaces: [surface] });
  secure.kinesis('clicks', nothing).handle('POST', '/mcp', ok, Authenticated());
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', { code });
  const wiring = new ServiceWiring(stack, 'Wiring', { fn, inventory: toInventory(secure) });
  const window = { maxBatchingWindow: Duration.seconds(5), parallelizationFactor: 4 };
  wiring.kinesis('clicks', new DataStream(stack, 'S').stream, window);
  wiring.s3('uploads', new ObjectBucket(stack, 'B').bucket as IBucket, { filters: [{ prefix: 'notes/' }] });
  wiring.http(new McpServer(stack, 'Mcp', { fn, streaming: false }).door);
  const { directory } = (stack.node.root as App).synth();
  const { functions } = JSON.parse(readFileSync(join(directory, 'sallyport.json'), 'utf8')) as { functions: object[] };
  expect(functions).toMatchObject([
    {
      sources: [
        { kind: 'stream', delivery: { batchingWindowMs: 5000, parallelizationFactor: 4 } },
        { kind: 's3', filters: [{ prefix: 'notes/' }] },
      ],
      doors: [{ routes: expect.arrayContaining(['POST /mcp', 'GET /.well-known/oauth-protected-resource/mcp']) }],
    },
  ]);
});
