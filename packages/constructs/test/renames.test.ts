import { json } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';
import { kafkaTrigger, s3Trigger } from '@sallyport/triggers';
import { AttributeType, type ITable, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Duration, Stack } from 'aws-cdk-lib/core';
import {
  DataStream,
  HttpApi,
  ObjectBucket,
  ServiceFunction,
  ServiceQueue,
  ServiceWiring,
  toInventory,
} from '../src/index.js';
import { newApp, newStack, propertiesOf, type Template, templateOf, variablesIn } from './support/synth.js';

const CLUSTER = 'arn:aws:kafka:eu-west-1:123456789012:cluster/demo/6357e0b2-0e6a-4b86-a0b4-70df934c2e31-5';
const nothing = () => undefined;
type Register = (app: SecureApp, name: string) => void;

/** Each kind of handler that has a name, and its source, whose name does not depend on it. */
const KINDS: readonly (readonly [string, Register, (wiring: ServiceWiring, name: string, stack: Stack) => unknown])[] =
  [
    [
      'a queue',
      (app, name) => app.queue(name, nothing),
      (wiring, name, stack) => wiring.queue(name, new ServiceQueue(stack, 'Q').queue),
    ],
    [
      'a FIFO queue',
      (app, name) => app.queue(`${name}.fifo`, nothing),
      (wiring, name, stack) => wiring.queue(`${name}.fifo`, new ServiceQueue(stack, 'Q', { fifo: true }).queue),
    ],
    [
      'a table stream',
      (app, name) => app.tableStream(name, nothing),
      (wiring, name, stack) =>
        wiring.tableStream(
          name,
          new Table(stack, 'T', {
            partitionKey: { name: 'id', type: AttributeType.STRING },
            stream: StreamViewType.NEW_IMAGE,
          }) as ITable,
        ),
    ],
    [
      'a data stream',
      (app, name) => app.kinesis(name, nothing),
      (wiring, name, stack) => wiring.kinesis(name, new DataStream(stack, 'S').stream),
    ],
    [
      'a topic',
      (app, name) => app.topic(name, nothing),
      (wiring, name, stack) => wiring.topic(name, new Topic(stack, 'N')),
    ],
    [
      'a schedule',
      (app, ruleName) => app.eventBus({ ruleName }, nothing),
      (wiring, name) => wiring.schedule(name, Schedule.rate(Duration.hours(1))),
    ],
  ];

const OPT_IN: readonly (readonly [
  string,
  (name: string) => SecureApp,
  (wiring: ServiceWiring, name: string, stack: Stack) => unknown,
])[] = [
  [
    'a bucket',
    (name) => {
      const surface = s3Trigger();
      surface.bucket(name, nothing);
      return new SecureApp({ surfaces: [surface] });
    },
    (wiring, name, stack) => wiring.s3(name, new ObjectBucket(stack, 'B').bucket as IBucket),
  ],
  [
    'a topic of Kafka',
    (name) => {
      const surface = kafkaTrigger();
      surface.topic(name, nothing);
      return new SecureApp({ surfaces: [surface] });
    },
    (wiring, name) => wiring.kafka(name, { clusterArn: CLUSTER, topic: 'orders' }),
  ],
];

function templateWith(app: SecureApp, attach: (wiring: ServiceWiring, stack: Stack) => unknown): Template {
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', { code: Code.fromInline('exports.handler = 1') });
  attach(new ServiceWiring(stack, 'Wiring', { fn, inventory: toInventory(app), application: 'shop' }), stack);
  return templateOf(stack);
}

/** The resources of a template without the variables of functions. */
const withoutVariables = ({ Resources }: Template) =>
  Object.fromEntries(
    Object.entries(Resources).map(([id, { Properties, ...rest }]) => [
      id,
      { ...rest, Properties: { ...Properties, Environment: undefined } },
    ]),
  );

const newSecure = (register: (app: SecureApp) => void) => {
  const app = new SecureApp();
  register(app);
  return app;
};

describe('a renamed handler keeps every resource', () => {
  it.each(KINDS)('of %s', (_name, register, attach) => {
    const of = (name: string) =>
      templateWith(
        newSecure((app) => register(app, name)),
        (wiring, stack) => attach(wiring, name, stack),
      );
    const [before, after] = [of('orders'), of('purchases')];
    expect(withoutVariables(after)).toEqual(withoutVariables(before));
    expect(JSON.stringify(variablesIn(after))).toContain('purchases');
  });

  it.each(OPT_IN)('of %s', (_name, make, attach) => {
    const of = (name: string) => templateWith(make(name), (wiring, stack) => attach(wiring, name, stack));
    expect(withoutVariables(of('purchases'))).toEqual(withoutVariables(of('orders')));
  });
});

it('two sources of one kind, and two equal schedules, have separate resources', () => {
  const app = newSecure((one) => {
    one
      .queue('a', nothing)
      .queue('b', nothing)
      .eventBus({ ruleName: 'x' }, nothing)
      .eventBus({ ruleName: 'y' }, nothing);
  });
  const template = templateWith(app, (wiring, stack) => {
    wiring.queue('a', new ServiceQueue(stack, 'A').queue);
    wiring.queue('b', new ServiceQueue(stack, 'B').queue);
    wiring.schedule('x', Schedule.rate(Duration.hours(1)));
    wiring.schedule('y', Schedule.rate(Duration.hours(1)));
  });
  expect(propertiesOf(template, 'AWS::Lambda::EventSourceMapping')).toHaveLength(2);
  expect(propertiesOf(template, 'AWS::Events::Rule')).toHaveLength(2);
});

it('the order of triggers does not move the queue for failed events', () => {
  const app = () =>
    newSecure((one) => {
      one.topic('news', nothing).eventBus({ source: 'billing' }, nothing);
    });
  const of = (topicFirst: boolean) =>
    templateWith(app(), (wiring, stack) => {
      const topic = new Topic(stack, 'N');
      if (topicFirst) wiring.topic('news', topic);
      wiring.eventBus({ source: 'billing' });
      if (!topicFirst) wiring.topic('news', topic);
    });
  expect(of(true).Resources).toEqual(of(false).Resources);
  expect(propertiesOf(of(true), 'AWS::Lambda::EventInvokeConfig')).toMatchObject([
    {
      DestinationConfig: {
        OnFailure: { Destination: { 'Fn::GetAtt': [expect.stringMatching(/AsyncFailures/), 'Arn'] } },
      },
    },
  ]);
});

it('two stages of a service with a schedule fit into one account, and each function has its own rule', () => {
  const stage = (stackName: string) => {
    const stack = new Stack(newApp(), 'Notes', { stackName });
    const { fn } = new ServiceFunction(stack, 'Api', { code: Code.fromInline('exports.handler = 1') });
    const inventory = toInventory(newSecure((app) => app.eventBus({ ruleName: 'nightly' }, nothing)));
    new ServiceWiring(stack, 'Wiring', { fn, inventory }).schedule('nightly', Schedule.rate(Duration.days(1)));
    const template = templateOf(stack);
    const [name] = propertiesOf(template, 'AWS::Events::Rule').map(({ Name }) => String(Name));
    expect(variablesIn(template).FRAMEWORK_EVENT_SOURCES).toBe(JSON.stringify({ rule: { nightly: name } }));
    return name;
  };
  expect(stage('notes-live')).toMatch(/^notes-live-/);
  expect(stage('notes-live')).not.toBe(stage('notes-preview'));
});

it('a consumer group does not depend on the stack, the wiring and the handler, and must be stated', () => {
  const surface = () => {
    const kafka = kafkaTrigger();
    kafka.topic('orders', nothing);
    return new SecureApp({ surfaces: [kafka] });
  };
  const template = templateWith(surface(), (wiring) => wiring.kafka('orders', { clusterArn: CLUSTER }));
  expect(propertiesOf(template, 'AWS::Lambda::EventSourceMapping')).toMatchObject([
    { AmazonManagedKafkaEventSourceConfig: { ConsumerGroupId: 'shop-orders' } },
  ]);
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', { code: Code.fromInline('exports.handler = 1') });
  const wiring = new ServiceWiring(stack, 'Wiring', { fn, inventory: toInventory(surface()) });
  expect(() => wiring.kafka('orders', { clusterArn: CLUSTER })).toThrow(
    expect.failure(
      'constructs.invalid_prop',
      'ServiceWiring: ',
      '"orders"',
      '"application"',
      'consumerGroup',
      '(at Test/Wiring)',
    ),
  );
});

it('a route keeps its logical id when its handler moves', () => {
  const of = (paths: readonly string[]) =>
    templateWith(
      newSecure((app) => {
        for (const path of paths) app.get(path, () => json(200, {}), Public());
      }),
      (wiring, stack) => wiring.http(new HttpApi(stack, 'Http', { fn: wiring.fn })),
    );
  expect(of(['/a', '/b']).Resources).toEqual(of(['/b', '/a']).Resources);
});
