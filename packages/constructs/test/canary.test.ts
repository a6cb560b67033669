import { createEmfSink } from '@sallyport/core/observability';
import { json } from '@sallyport/http';
import { Public, SecureApp, type SecureOptions } from '@sallyport/secure';
import { Alarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Duration, type Stack } from 'aws-cdk-lib/core';
import { SMOKE_HANDLER } from '../src/function/internal/smoke-handler.js';
import {
  AlbTarget,
  ErrorNotifications,
  FunctionUrl,
  HttpApi,
  type Inventory,
  RestApi,
  ServiceAlarms,
  ServiceDashboard,
  ServiceFunction,
  ServiceWiring,
  toInventory,
} from '../src/index.js';
import { newFn } from './support/function.js';
import { messageOf, newStack, propertiesOf, statementsOf, templateOf } from './support/synth.js';

const lines: string[] = [];
const environment = { AWS_LAMBDA_FUNCTION_NAME: 'api', AWS_LAMBDA_FUNCTION_VERSION: '7' };
const metric = createEmfSink({ namespace: 'Shop', environment, write: (line) => lines.push(line) });

/** A request of an HTTP API. */
const getEvent = (rawPath: string) => ({
  version: '2.0',
  routeKey: `GET ${rawPath}`,
  rawPath,
  rawQueryString: '',
  headers: {},
  requestContext: { http: { method: 'GET', path: rawPath, sourceIp: '127.0.0.1' }, stage: '$default' },
  isBase64Encoded: false,
});
const QUEUE_EVENT = {
  Records: [
    {
      messageId: 'm-1',
      receiptHandle: 'r-1',
      body: 'a',
      attributes: {},
      messageAttributes: {},
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:orders',
      awsRegion: 'eu-west-1',
    },
  ],
};

function newApp(options: SecureOptions = { observability: { metric }, log: false }) {
  const app = new SecureApp(options);
  app.get('/x', () => Promise.reject(new Error('always')), Public());
  app.queue('orders', () => Promise.reject(new Error('always')));
  return app;
}

function newService() {
  const stack = newStack();
  const service = new ServiceFunction(stack, 'Api', { code: Code.fromInline('exports.handler = 1') });
  const { topic } = new ErrorNotifications(stack, 'OnCall', { encryptionKey: new Key(stack, 'Key') });
  const newAlarms = (inventory?: Inventory) =>
    new ServiceAlarms(stack, 'Alarms', { fn: service.fn, actionTopic: topic, ...(inventory && { inventory }) });
  return { stack, service, newAlarms };
}

/** Namespace, name and dimensions of the alarms on the metrics of the application, with names of the deployed function. */
const alarmsOf = (stack: Stack) =>
  propertiesOf(templateOf(stack), 'AWS::CloudWatch::Alarm')
    .filter(({ Namespace }) => Namespace === 'Shop')
    .map(({ Namespace, MetricName, Dimensions }) => ({
      Namespace,
      MetricName,
      dimensions: Object.fromEntries(
        (Dimensions as { Name: string; Value: unknown }[]).map(({ Name, Value }) => [
          Name,
          JSON.stringify(Value).includes('Version') ? '7' : 'api',
        ]),
      ),
    }));

interface EmfLine {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
  readonly [name: string]: unknown;
}

/** The value of a metric with exactly these dimensions in the lines that the handler wrote. */
function valueIn({ Namespace, MetricName, dimensions }: ReturnType<typeof alarmsOf>[number]): unknown {
  for (const text of lines) {
    const line = JSON.parse(text) as EmfLine;
    for (const one of line._aws.CloudWatchMetrics) {
      const hasName = one.Namespace === Namespace && one.Metrics.some(({ Name }) => Name === MetricName);
      const fits = one.Dimensions.some(
        (names) =>
          [...names].sort().join() === Object.keys(dimensions).sort().join() &&
          names.every((name) => line[name] === dimensions[name]),
      );
      if (hasName && fits) return line[String(MetricName)];
    }
  }
  return undefined;
}

it('the metrics of a handler that always fails match the alarms of the service and of the canary', async () => {
  const app = newApp();
  const response = (await app.handleLambda(getEvent('/x'))) as { statusCode: number };
  expect(response.statusCode).toBe(500);
  await app.handleLambda(QUEUE_EVENT);
  const { stack, service, newAlarms } = newService();
  const inventory = toInventory(app);
  service.addCanary({ alarms: newAlarms(inventory).alarms, inventory });
  const alarms = alarmsOf(stack);
  const of = (MetricName: string, dimensions: object) => ({ Namespace: 'Shop', MetricName, dimensions });
  expect(alarms).toEqual([
    of('RequestErrors', { service: 'api', version: '7' }),
    of('BatchFailures', { service: 'api', version: '7' }),
    of('RequestErrors', { service: 'api' }),
    of('BatchFailures', { service: 'api' }),
  ]);
  for (const alarm of alarms) expect([alarm, valueIn(alarm)]).toEqual([alarm, 1]);
  const groups = propertiesOf(templateOf(stack), 'AWS::CodeDeploy::DeploymentGroup');
  const any = { Name: expect.anything() };
  expect(groups).toMatchObject([{ AlarmConfiguration: { Alarms: [any, any, any, any, any, any] } }]);
});

it('alarms follow from the registrations, and have thresholds', () => {
  const { stack, newAlarms } = newService();
  const app = new SecureApp({ observability: { metric } });
  app.get('/x', () => json(200, {}), Public());
  newAlarms(toInventory(app));
  expect(propertiesOf(templateOf(stack), 'AWS::CloudWatch::Alarm')).toMatchObject([
    { MetricName: 'Errors' },
    { MetricName: 'Throttles' },
    {
      MetricName: 'RequestErrors',
      Statistic: 'Average',
      Period: 60,
      Threshold: 0.05,
      TreatMissingData: 'notBreaching',
    },
  ]);
});

it('an alarm on latency is made on request', () => {
  const { stack, service } = newService();
  const { topic } = new ErrorNotifications(stack, 'Other', { encryptionKey: new Key(stack, 'K') });
  new ServiceAlarms(stack, 'A', { fn: service.fn, actionTopic: topic, maxLatency: Duration.seconds(2) });
  expect(propertiesOf(templateOf(stack), 'AWS::CloudWatch::Alarm')).toContainEqual(
    expect.objectContaining({ MetricName: 'Duration', ExtendedStatistic: 'p99', Threshold: 2000 }),
  );
});

it('an application without a sink of metrics is rejected', () => {
  const inventory = toInventory(newApp({}));
  const failure = expect.failure('constructs.invalid_prop', 'inventory', 'createEmfSink()');
  expect(() => newService().newAlarms(inventory)).toThrow(failure);
  expect(() => newService().service.addCanary({ alarms: [], inventory })).toThrow(failure);
});

describe('a canary', () => {
  it('rejects alarms that see no failed request and no failed record', () => {
    const { service, newAlarms } = newService();
    expect(() => service.addCanary({ alarms: newAlarms().alarms })).toThrow(
      expect.failure(
        'constructs.invalid_prop',
        'ServiceFunction: alarms',
        'inventory',
        'RequestErrors',
        'BatchFailures',
        '(at Test/Api)',
      ),
    );
  });

  it.each<[string, (stack: Stack) => Metric]>([
    ['the 5xx of an API', () => new Metric({ namespace: 'AWS/ApiGateway', metricName: '5xx' })],
    ['the 5xx of a function URL', () => new Metric({ namespace: 'AWS/Lambda', metricName: 'Url5xxCount' })],
    ['a metric of the application', () => new Metric({ namespace: 'Shop', metricName: 'CheckoutFailed' })],
  ])('accepts an alarm on %s', (_name, make) => {
    const { stack, service } = newService();
    const alarm = new Alarm(stack, 'Own', { metric: make(stack), threshold: 1, evaluationPeriods: 1 });
    expect(messageOf(() => service.addCanary({ alarms: [alarm] }))).toBe('');
  });

  it('accepts an imported alarm, whose metric is unknown', () => {
    const { stack, service } = newService();
    const alarm = Alarm.fromAlarmArn(stack, 'Far', 'arn:aws:cloudwatch:eu-west-1:123456789012:alarm:far');
    expect(messageOf(() => service.addCanary({ alarms: [alarm] }))).toBe('');
  });
});

describe('the doors of the function', () => {
  it('have an alarm on their 5xx, also doors that follow', () => {
    const { stack, service, newAlarms } = newService();
    newAlarms();
    const { fn } = service;
    const live = fn.addAlias('live') as IFunction;
    new HttpApi(stack, 'Http', { fn });
    new RestApi(stack, 'Rest', { fn }).addCatchAll();
    new FunctionUrl(stack, 'Url', { fn });
    new FunctionUrl(stack, 'LiveUrl', { fn: live });
    new AlbTarget(stack, 'Target', { fn });
    new HttpApi(stack, 'Other', { fn: newFn(stack) });
    const doors = propertiesOf(templateOf(stack), 'AWS::CloudWatch::Alarm').filter(({ MetricName }) =>
      /5xx/i.test(String(MetricName)),
    );
    const threshold = { Statistic: 'Sum', Period: 300, Threshold: 5 };
    const api = { Ref: expect.stringMatching(/^Api[0-9A-F]{8}$/) };
    expect(doors).toMatchObject([
      { ...threshold, Namespace: 'AWS/ApiGateway', MetricName: '5xx', Dimensions: [{ Name: 'ApiId' }] },
      { ...threshold, Namespace: 'AWS/ApiGateway', MetricName: '5XXError', Dimensions: [{ Name: 'ApiName' }] },
      {
        ...threshold,
        Namespace: 'AWS/Lambda',
        MetricName: 'Url5xxCount',
        Dimensions: [{ Name: 'FunctionName', Value: api }],
      },
      {
        ...threshold,
        MetricName: 'Url5xxCount',
        Dimensions: [
          { Name: 'FunctionName', Value: api },
          { Name: 'Resource', Value: { 'Fn::Join': ['', [api, ':live']] } },
        ],
      },
    ]);
  });
});

describe('the smoke test of a new version', () => {
  const inventory = toInventory(newApp());
  const smoke = { health: getEvent('/health') };

  it('runs before the shift, and may only invoke this version and report its result', () => {
    const { stack, service } = newService();
    service.addCanary({ alarms: [], inventory, smoke });
    const template = templateOf(stack);
    const hook = expect.stringMatching(/^ApiSmoke[0-9A-F]{8}$/);
    const [alias] = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::Lambda::Alias');
    expect(alias).toMatchObject({
      UpdatePolicy: { CodeDeployLambdaAliasUpdate: { BeforeAllowTrafficHook: { Ref: hook } } },
    });
    const statements = statementsOf(template).filter(({ Action }) => /lambda:Invoke|codedeploy/.test(String(Action)));
    expect(statements).toMatchObject([
      { Action: 'lambda:InvokeFunction', Resource: { 'Fn::GetAtt': [hook, 'Arn'] } },
      { Action: 'lambda:InvokeFunction', Resource: { Ref: expect.stringMatching(/^ApiCurrentVersion/) } },
      { Action: 'codedeploy:PutLifecycleEventHookExecutionStatus' },
    ]);
  });

  it.each([
    ['with separateDoors', { separateDoors: true }, { smoke }, 'smoke with separateDoors'],
    ['of more than 3,000 bytes', {}, { smoke: { a: 'x'.repeat(3000) } }, 'smoke, got "3008 bytes"'],
    ['without events', {}, { smoke: {} }, 'smoke, got an object (Object)'],
  ])('is rejected %s', (_name, fnProps, props, problem) => {
    const stack = newStack();
    const service = new ServiceFunction(stack, 'Api', { code: Code.fromInline('x'), ...fnProps });
    expect(() => service.addCanary({ alarms: [], inventory, ...props })).toThrow(
      expect.failure('constructs.invalid_prop', `ServiceFunction: ${problem}`),
    );
  });

  /** Runs the inline code against a version that returns `result`, and returns the reported status. */
  async function statusOf(result: object | Error): Promise<unknown> {
    const sent: { readonly status?: string }[] = [];
    const command = class {
      constructor(readonly input: object) {}
    };
    const client = (send: (given: { input: object }) => unknown) =>
      class {
        readonly send = send;
      };
    const modules: Record<string, object> = {
      '@aws-sdk/client-lambda': {
        InvokeCommand: command,
        LambdaClient: client(() => (result instanceof Error ? Promise.reject(result) : Promise.resolve(result))),
      },
      '@aws-sdk/client-codedeploy': {
        PutLifecycleEventHookExecutionStatusCommand: command,
        CodeDeployClient: client(({ input }) => Promise.resolve(sent.push(input))),
      },
    };
    const exported: { handler?: (event: object) => Promise<void> } = {};
    const process = { env: { SMOKE_EVENTS: JSON.stringify(smoke), SMOKE_VERSION: 'arn' } };
    const run = new Function('require', 'exports', 'process', 'console', SMOKE_HANDLER);
    run((name: string) => modules[name], exported, process, { log: () => undefined });
    await exported.handler?.({ DeploymentId: 'd', LifecycleEventHookExecutionId: 'e' });
    return sent[0]?.status;
  }

  const payload = (value: unknown) => ({ Payload: Buffer.from(JSON.stringify(value)) });
  it.each<[string, object | Error, string]>([
    ['a status of 200', payload({ statusCode: 200 }), 'Succeeded'],
    ['a status of 401', payload({ statusCode: 401 }), 'Succeeded'],
    ['no failed record', payload({ batchItemFailures: [] }), 'Succeeded'],
    ['no result', payload(null), 'Succeeded'],
    ['a status of 500', payload({ statusCode: 500 }), 'Failed'],
    ['a failed record', payload({ batchItemFailures: [{ itemIdentifier: 'a' }] }), 'Failed'],
    ['an error of the function', { FunctionError: 'Unhandled', ...payload({ errorMessage: 'x' }) }, 'Failed'],
    ['an error of the service', Object.assign(new Error('no'), { name: 'TooManyRequestsException' }), 'Failed'],
  ])('%s: %#', async (_name, result, status) => {
    expect(await statusOf(result)).toBe(status);
  });

  it('fits into inline code', () => {
    expect(Buffer.byteLength(SMOKE_HANDLER)).toBeLessThanOrEqual(4096);
  });
});

/** Namespace, dimensions, name and service of the searches of a dashboard. */
const SEARCH = /\{\\+"([^"\\]+)\\+",([^}]+)\} MetricName=\\+"(\w+)\\+" service=\\+"([^"\\]*)/g;

it.each([
  ['by service and kind', [], ['service,trigger', 'service,trigger', 'service,trigger', 'service']],
  [
    'by route and source',
    ['route', 'source'] as const,
    ['service,method,route', 'service,trigger,source', 'service,trigger,source', 'service'],
  ],
])('the graphs of the dashboard find the metrics that the handler writes, %s', async (_name, by, sets) => {
  lines.length = 0;
  const onDemand = { ...environment, AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand' };
  const app = newApp({
    observability: {
      metric: createEmfSink({
        namespace: 'Shop',
        service: 'api',
        by,
        environment: onDemand,
        write: (line) => lines.push(line),
      }),
    },
    log: false,
  });
  await app.handleLambda(getEvent('/x'));
  const [record] = QUEUE_EVENT.Records;
  const attributes = { ApproximateReceiveCount: '2', SentTimestamp: '1700000000000' };
  await app.handleLambda({ Records: [{ ...record, attributes }] });
  const { stack, service } = newService();
  const wiring = new ServiceWiring(stack, 'Wiring', { fn: service.fn, inventory: toInventory(app) });
  wiring.http(new FunctionUrl(stack, 'Url', { fn: service.fn }));
  wiring.queue('orders', new Queue(stack, 'Orders', { visibilityTimeout: Duration.minutes(5) }));
  new ServiceDashboard(stack, 'Dashboard', { wirings: [wiring] });
  const [dashboard] = stackBodies(stack);
  const searches = [...String(dashboard).matchAll(SEARCH)].map(([, Namespace, set = '', MetricName, of]) => ({
    Namespace,
    MetricName,
    set: set.split(','),
    of,
  }));
  expect(searches.map(({ MetricName }) => MetricName)).toEqual([
    'RequestCount',
    'RequestErrors',
    'RequestDuration',
    'BatchFailures',
    'BatchRetries',
    'OldestRecordAge',
    'ColdStarts',
  ]);
  expect([...new Set(searches.map(({ set }) => set.join()))]).toEqual([...new Set(sets)]);
  for (const { Namespace, MetricName, set, of } of searches) {
    expect(of).toBe('api');
    const written = lines.map((text) => JSON.parse(text) as EmfLine);
    const fitting = written.filter(
      (line) =>
        line.service === of &&
        line._aws.CloudWatchMetrics.some(
          (one) =>
            one.Namespace === Namespace &&
            one.Metrics.some(({ Name }) => Name === MetricName) &&
            one.Dimensions.some((names) => names.join() === set.join()),
        ),
    );
    expect([MetricName, fitting.length]).toEqual([MetricName, 1]);
  }
});

/** The bodies of the dashboards of a stack, as JSON. */
function stackBodies(stack: Stack): readonly string[] {
  return propertiesOf(templateOf(stack), 'AWS::CloudWatch::Dashboard').map(({ DashboardBody }) =>
    JSON.stringify(DashboardBody),
  );
}
