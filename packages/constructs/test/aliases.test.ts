import { fileURLToPath } from 'node:url';
import { json } from '@sallyport/http';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { s3Trigger } from '@sallyport/triggers';
import { AttributeType, type ITable, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Alias, Code, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Duration, type Stack } from 'aws-cdk-lib/core';
import {
  DataStream,
  FunctionUrl,
  GraphqlApi,
  HttpApi,
  McpServer,
  ObjectBucket,
  RestApi,
  ServiceFunction,
  ServiceQueue,
  ServiceWiring,
  toInventory,
  WebSocketApi,
} from '../src/index.js';
import { newStack, type Template, templateOf } from './support/synth.js';

const SCHEMA = fileURLToPath(new URL('judges/support/estate.graphql', import.meta.url));
const nothing = () => undefined;
const ok = () => json(200, {});

interface Service {
  readonly stack: Stack;
  readonly wiring: ServiceWiring;
  readonly live: IFunction;
}

/** All sources and doors that a wiring attaches. */
const ATTACH: readonly (readonly [string, (app: SecureApp) => unknown, (service: Service) => unknown])[] = [
  [
    'a queue',
    (app) => app.queue('a', nothing),
    ({ stack, wiring }) => wiring.queue('a', new ServiceQueue(stack, 'S').queue),
  ],
  [
    'a table stream',
    (app) => app.tableStream('a', nothing),
    ({ stack, wiring }) =>
      wiring.tableStream(
        'a',
        new Table(stack, 'S', {
          partitionKey: { name: 'id', type: AttributeType.STRING },
          stream: StreamViewType.NEW_IMAGE,
        }) as ITable,
      ),
  ],
  [
    'a data stream',
    (app) => app.kinesis('a', nothing),
    ({ stack, wiring }) => wiring.kinesis('a', new DataStream(stack, 'S').stream),
  ],
  ['a topic', (app) => app.topic('a', nothing), ({ stack, wiring }) => wiring.topic('a', new Topic(stack, 'S'))],
  ['an event bus', (app) => app.eventBus({ source: 'a' }, nothing), ({ wiring }) => wiring.eventBus({ source: 'a' })],
  [
    'a schedule',
    (app) => app.eventBus({ ruleName: 'a' }, nothing),
    ({ wiring }) => wiring.schedule('a', Schedule.rate(Duration.hours(1))),
  ],
  [
    'an HTTP API',
    (app) => app.get('/a', ok, Public()),
    ({ stack, wiring, live }) => wiring.http(new HttpApi(stack, 'S', { fn: live })),
  ],
  [
    'a REST API',
    (app) => app.get('/a', ok, Public()),
    ({ stack, wiring, live }) => wiring.http(new RestApi(stack, 'S', { fn: live })),
  ],
  [
    'a function URL',
    (app) => app.get('/a', ok, Public()),
    ({ stack, wiring, live }) => wiring.http(new FunctionUrl(stack, 'S', { fn: live })),
  ],
  [
    'a WebSocket API',
    (app) => app.webSocket('$connect', ok, Authenticated()),
    ({ stack, wiring, live }) => wiring.webSocket(new WebSocketApi(stack, 'S', { fn: live })),
  ],
  [
    'a GraphQL API',
    (app) => app.appSyncField('Query', 'note', ok, Authenticated()),
    ({ stack, wiring, live }) => wiring.graphQl(new GraphqlApi(stack, 'S', { fn: live, schemaFile: SCHEMA })),
  ],
  [
    'an MCP server on its own API',
    (app) => app.handle('POST', '/mcp', ok, Authenticated()),
    ({ stack, wiring, live }) => wiring.http(new McpServer(stack, 'S', { fn: live }).door),
  ],
  [
    'an MCP server with the function, on an API of the alias',
    (app) => app.handle('POST', '/mcp', ok, Authenticated()),
    ({ stack, wiring, live }) => {
      const api = new HttpApi(stack, 'S', { fn: live });
      new McpServer(stack, 'Mcp', { fn: wiring.fn, api, streaming: false });
      wiring.http(api);
    },
  ],
];

function newService(register: (app: SecureApp) => unknown, through: 'fn' | 'invoke', surfaces = {}): Service {
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', { code: Code.fromInline('exports.handler = 1') });
  const app = new SecureApp(surfaces);
  register(app);
  const live = new Alias(stack, 'Live', { aliasName: 'live', version: fn.currentVersion as never }) as IFunction;
  const inventory = toInventory(app);
  const props = through === 'fn' ? { fn: live } : { fn: fn as IFunction, invoke: live };
  return { stack, live, wiring: new ServiceWiring(stack, 'Wiring', { ...props, inventory }) };
}

/** Resources that invoke a function, by their type. */
const INVOKERS =
  /^AWS::(?:Lambda::(?:EventSourceMapping|Permission|Url|EventInvokeConfig)|SNS::Subscription|Events::Rule|ApiGateway::Method|ApiGatewayV2::Integration|AppSync::DataSource)$|^Custom::S3/;

/** The references of invoking resources to the function itself. */
function referencesToFunction({ Resources }: Template): readonly string[] {
  const [fnId = ''] = Object.keys(Resources).filter((id) => /^Api[0-9A-F]{8}$/.test(id));
  expect(fnId).not.toBe('');
  return Object.entries(Resources)
    .filter(([, { Type }]) => INVOKERS.test(Type))
    .filter(([, { Type, Properties }]) => {
      const text = JSON.stringify(Properties);
      const names = text.includes(`["${fnId}","Arn"]`) || text.includes(`{"Ref":"${fnId}"}`);
      // A URL and the settings of asynchronous invocations have the function and the name of the alias.
      return names && !/"Qualifier":/.test(text) && Type !== 'AWS::Lambda::Version';
    })
    .map(([id]) => id);
}

describe.each(['fn', 'invoke'] as const)('with the alias of a canary as %s', (through) => {
  it.each(ATTACH)('%s invokes the alias, and variables are on the function', (_name, register, attach) => {
    const service = newService(register, through);
    attach(service);
    const template = templateOf(service.stack);
    expect(referencesToFunction(template)).toEqual([]);
    const invokes = Object.values(template.Resources).filter(({ Type }) => INVOKERS.test(Type));
    expect(JSON.stringify(invokes)).toMatch(/"Ref":"Live|"Qualifier":/);
  });

  it('a bucket invokes the alias', () => {
    const surface = s3Trigger();
    surface.bucket('a', nothing);
    const { stack, wiring } = newService(() => undefined, through, { surfaces: [surface] });
    wiring.s3('a', new ObjectBucket(stack, 'S').bucket as IBucket);
    expect(referencesToFunction(templateOf(stack))).toEqual([]);
  });
});

it('rejects a door of the function itself, and an alias of another function', () => {
  const { stack, wiring } = newService((app) => app.get('/a', ok, Public()), 'invoke');
  expect(() => wiring.http(new HttpApi(stack, 'S', { fn: wiring.fn }))).toThrow(
    expect.failure(
      'constructs.invalid_prop',
      'ServiceWiring: ',
      'Test/S',
      'Test/Api/Resource',
      'Test/Live',
      '(at Test/Wiring)',
    ),
  );
  const other = new ServiceFunction(stack, 'Other', { code: Code.fromInline('exports.handler = 1') });
  const live = new Alias(stack, 'OtherLive', {
    aliasName: 'live',
    version: other.fn.currentVersion as never,
  }) as IFunction;
  const inventory = toInventory(new SecureApp());
  const { fn } = new ServiceFunction(stack, 'Third', { code: Code.fromInline('exports.handler = 1') });
  expect(() => new ServiceWiring(stack, 'W', { fn, invoke: live, inventory })).toThrow(
    expect.failure(
      'constructs.invalid_prop',
      'ServiceWiring: invoke',
      'Test/OtherLive',
      'Test/Third/Resource',
      '(at Test/W)',
    ),
  );
});
