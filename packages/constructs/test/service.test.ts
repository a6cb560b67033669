/** A whole service from one application: the file is bundled and loaded, as at every synth. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Schedule } from 'aws-cdk-lib/aws-events';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type App, Duration, type Stack } from 'aws-cdk-lib/core';
import { Service, type ServiceProps, Source } from '../src/index.js';
import { CONDITIONS, newApplication } from './support/application.js';
import { newFolder } from './support/folders.js';
import { messageOf, newApp, newStack, propertiesOf, type Template, templateOf } from './support/synth.js';

const ORDERS = `
app.get('/health', () => json(200, { ok: true }), Public());
app.get('/orders', () => json(200, []), Authenticated('orders:read'));
app.queue('orders', () => undefined);
app.queue('reports', () => undefined);
app.eventBus({ ruleName: 'nightly' }, () => undefined);
`;
const NIGHTLY = Source.schedule('nightly', Schedule.cron({ hour: '3', minute: '0' }));
const SOURCES = [Source.queue('orders'), Source.queue('reports'), NIGHTLY];

const orders = newApplication(ORDERS);

function newService(entry: string, props: Partial<ServiceProps> = {}): Service {
  return new Service(newStack(), 'Orders', { entry, stage: 'production', conditions: CONDITIONS, ...props });
}

const synth = (service: Service) => templateOf(service.node.scope as Stack);

/** The number of resources of each type. */
function countIn(template: Template, ...types: readonly string[]): readonly number[] {
  return types.map((type) => propertiesOf(template, `AWS::${type}`).length);
}

describe('the resources of a service', () => {
  it('follow from the registrations: function, door, sources, alarms, dashboard', () => {
    const service = newService(orders, { sources: SOURCES });
    const template = synth(service);
    const types = ['Lambda::Function', 'ApiGatewayV2::Route', 'Lambda::EventSourceMapping', 'Events::Rule'];
    expect(countIn(template, ...types, 'CloudWatch::Dashboard', 'SNS::Topic')).toEqual([1, 2, 2, 1, 1, 1]);
    expect(propertiesOf(template, 'AWS::CloudWatch::Alarm').length).toBeGreaterThan(8);
    expect(Object.keys(service.queues)).toEqual(['orders', 'reports']);
    expect(service.url).toBe(service.doors.httpApi?.url);
    expect(service.alarmTopic?.topicArn).toBeDefined();
  });

  it.each([
    ['queue "orders"', SOURCES.slice(1), 'Source.queue("orders") in "sources" of the service'],
    [
      'event-bus handler {"ruleName":"nightly"}',
      SOURCES.slice(0, 2),
      'Source.schedule("nightly", …) in "sources" of the service',
    ],
  ])('without a source for %s fail at synth, with the line to add', (label, sources, line) => {
    const text = messageOf(() => synth(newService(orders, { sources })));
    expect(text).toContain(`registers ${label}, the stack attaches none, expected ${line} (at Test/Orders/Wiring)`);
  });

  it('do not include a source without a handler', () => {
    const sources = [...SOURCES, Source.queue('refunds')];
    expect(() => newService(orders, { sources })).toThrow(
      expect.objectContaining({
        code: 'constructs.not_registered',
        message: expect.stringContaining('queue "refunds"'),
      }),
    );
  });

  it('include a table for each variable that a store reads, but no table for a variable that the service sets', () => {
    const entry = newApplication(`
if (!process.env.FRAMEWORK_JOBS_TABLE_NAME) throw new Error('no table');
process.env.FRAMEWORK_RATE_LIMIT_TABLE_NAME;
app.get('/health', () => json(200, {}), Public());`);
    const service = newService(entry, { environment: { FRAMEWORK_RATE_LIMIT_TABLE_NAME: 'shared-limits' } });
    expect(Object.keys(service.tables)).toEqual(['jobs']);
    expect(countIn(synth(service), 'DynamoDB::Table')).toEqual([1]);
  });

  it('do not stop the deployment of another stack if the file cannot be bundled', () => {
    const app = newApp({ context: { 'aws:cdk:bundling-stacks': ['Other'] } });
    const props = { stage: 'production', sources: SOURCES } as const;
    const service = new Service(newStack({}, app), 'Orders', { entry: 'src/not-there.ts', ...props });
    expect([messageOf(() => synth(service)), Object.keys(service.doors)]).toEqual(['', []]);
  });

  it.each([
    ['createGatewayRestStreamingHandler', 'restApi'],
    ['createLambdaFunctionURLStreamingHandler', 'functionUrl'],
  ])('include the door that fits %s', (create, door) => {
    const entry = newApplication(
      `import { ${create} } from '@sallyport/http';
globalThis.wrap = ${create};
app.get('/progress', () => json(200, {}), Public());`,
    );
    const service = newService(entry);
    expect(Object.keys(service.doors)).toEqual([door]);
    expect(messageOf(() => synth(service))).toBe('');
  });

  it('are created with one loaded application, and one to compare the bundle without unused parts', () => {
    const log = join(newFolder(), 'loads');
    const entry = newApplication(`import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(log)}, 'x');
app.get('/health', () => json(200, {}), Public());`);
    expect(messageOf(() => synth(newService(entry)))).toBe('');
    expect(readFileSync(log, 'utf8')).toBe('xx');
  });

  it('include a WebSocket API, and need the schema of a GraphQL API', () => {
    const sockets = newApplication("app.webSocket('$default', () => undefined, Authenticated('chat'));");
    expect(countIn(synth(newService(sockets)), 'ApiGatewayV2::Route', 'ApiGateway::RestApi')).toEqual([1, 0]);
    const fields = newApplication("app.appSyncField('Query', 'note', () => ({}), Authenticated('notes'));");
    expect(() => newService(fields)).toThrow(expect.objectContaining({ code: 'constructs.invalid_prop' }));
  });

  it.each<[string, string, string]>([
    ['throws', "throw new Error('the disk is full');", 'does not load at synth: Error: the disk is full'],
    ['ends the process', 'process.exit(0);', 'does not load at synth: it ends the process'],
  ])('are not created for a file that %s', (_name, text, problem) => {
    expect(() => newService(newApplication(text))).toThrow(
      expect.objectContaining({ code: 'constructs.invalid_inventory', message: expect.stringContaining(problem) }),
    );
  });
});

describe('the stage', () => {
  const policies = (template: Template) =>
    Object.values(template.Resources).flatMap(({ Type, DeletionPolicy }) =>
      DeletionPolicy === undefined ? [] : [`${String(DeletionPolicy)} ${Type}`],
    );
  const entry = newApplication(`${ORDERS}
process.env.FRAMEWORK_JOBS_TABLE_NAME;

`);

  it('production keeps state, failure queues and logs; preview removes everything', () => {
    const kept = policies(synth(newService(entry, { sources: SOURCES })));
    expect([...new Set(kept)].sort()).toEqual([
      'Retain AWS::DynamoDB::Table',
      'Retain AWS::Logs::LogGroup',
      'Retain AWS::SQS::Queue',
    ]);
    const removed = policies(synth(newService(entry, { sources: SOURCES, stage: 'preview' })));
    expect(removed.filter((line) => !line.startsWith('Delete'))).toEqual([]);
  });

  it('preview removes the objects of its buckets, and the log of the function that sets their notifications', () => {
    const uploads = newApplication(`
import { s3Trigger } from '@sallyport/triggers';
const files = new SecureApp({ principalResolver: () => null, surfaces: [s3Trigger().bucket('uploads', () => undefined)] });
globalThis.wrap = () => files.handleLambda;`);
    const sources = [Source.s3('uploads')];
    const template = synth(newService(uploads, { sources, stage: 'preview' }));
    expect(policies(template).filter((line) => !line.startsWith('Delete'))).toEqual([]);
    expect(propertiesOf(template, 'Custom::S3AutoDeleteObjects').length).toBe(1);
  });

  it.each([
    ['production', [100, 200], 90, 'INFO', 1],
    ['preview', [10, 20], 7, 'DEBUG', 0],
  ] as const)(
    '%s selects throttling, retention, log level and dashboard',
    (stage, throttle, days, level, dashboards) => {
      const template = synth(newService(orders, { sources: SOURCES, stage }));
      expect(propertiesOf(template, 'AWS::ApiGatewayV2::Stage')).toMatchObject([
        { DefaultRouteSettings: { ThrottlingRateLimit: throttle[0], ThrottlingBurstLimit: throttle[1] } },
      ]);
      expect(propertiesOf(template, 'AWS::Logs::LogGroup').map(({ RetentionInDays }) => RetentionInDays)).toEqual([
        days,
        days,
      ]);
      expect(propertiesOf(template, 'AWS::Lambda::Function')).toMatchObject([
        { LoggingConfig: { ApplicationLogLevel: level } },
      ]);
      expect(countIn(template, 'CloudWatch::Dashboard')).toEqual([dashboards]);
    },
  );
});

describe('split', () => {
  it('creates several functions from one inventory, each with a separate timeout and a separate bundle', () => {
    const service = newService(orders, {
      sources: [Source.queue('orders'), NIGHTLY],
      split: { reports: { timeout: Duration.minutes(5), include: [Source.queue('reports')] } },
    });
    const template = synth(service);
    const functions = propertiesOf(template, 'AWS::Lambda::Function');
    expect(functions.map(({ Timeout }) => Timeout)).toEqual([10, 300]);
    const assets = functions.map(({ Code }) => (Code as { S3Key: string }).S3Key.replace('.zip', ''));
    expect(new Set(assets).size).toBe(2);
    const reports = service.functions.reports?.fn as IFunction;
    expect(propertiesOf(template, 'AWS::Lambda::EventSourceMapping').map(({ FunctionName }) => FunctionName)).toEqual([
      { Ref: service.node.scope ? expect.stringMatching(/^OrdersFunction(?!reports)/) : '' },
      { Ref: expect.stringMatching(/^OrdersFunctionreports/) },
    ]);
    expect(reports.functionName).toBeDefined();
    expect(Object.keys(service.alarms)).toEqual(['main', 'reports']);
    const { outdir } = service.node.root as App;
    expect(assets.map((asset) => run(join(outdir, `asset.${asset}`)))).toEqual(['done', 'done']);
  });

  it('finds a registration that no function serves', () => {
    const service = newService(orders, {
      sources: [NIGHTLY],
      split: { reports: { include: [Source.queue('reports')] } },
    });
    expect(messageOf(() => synth(service))).toContain('the application registers queue "orders"');
  });

  it('accepts a separate file, and must serve every registration in it', () => {
    const entry = newApplication("app.queue('reports', () => undefined); app.queue('late', () => undefined);");
    const service = newService(newApplication("app.queue('orders', () => undefined);"), {
      sources: [Source.queue('orders')],
      split: { reports: { entry, include: [Source.queue('reports')] } },
    });
    expect(messageOf(() => synth(service))).toContain('the application registers queue "late"');
  });

  it.each<[string, Partial<ServiceProps>]>([
    ['split', { split: { reports: {} as never } }],
    ['split', { split: { main: { include: [NIGHTLY] } } }],
    ['stage', { stage: 'staging' as never }],
    ['sources', { sources: ['orders' as never] }],
    ['doors', { doors: ['alb' as never] }],
  ])('a wrong %s is rejected', (name, props) => {
    expect(() => newService(orders, { sources: SOURCES, ...props })).toThrow(
      expect.objectContaining({ code: 'constructs.invalid_prop', message: expect.stringContaining(name) }),
    );
  });
});

/** Runs a bundle with an empty batch of its queue. */
function run(folder: string): string {
  const [file = ''] = readdirSync(folder).filter((name) => /^index\.m?js$/.test(name));
  expect(readFileSync(join(folder, file), 'utf8').length).toBeGreaterThan(1000);
  const record = { eventSource: 'aws:sqs', eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:reports' };
  const event = { Records: [{ ...record, messageId: 'm', body: '{}', attributes: {}, messageAttributes: {} }] };
  const context = {
    awsRequestId: 'r',
    functionName: 'f',
    invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:f',
  };
  const program = `
const { handler } = await import(${JSON.stringify(join(folder, file))});
const context = { ...${JSON.stringify(context)}, getRemainingTimeInMillis: () => 5000 };
const { batchItemFailures } = await handler(${JSON.stringify(event)}, context);
console.log(batchItemFailures.length === 0 ? 'done' : 'failed');`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  return stdout.trim() || stderr;
}

describe('the alarms of a service', () => {
  const PAGE = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const ANCHORS = [...PAGE.matchAll(/^## (.*)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));

  it('cover what the wiring attached, and link to the sections of the runbook', () => {
    const entry = newApplication(`${ORDERS}
app.kinesis('clicks', () => undefined);
app.topic('news', () => undefined);
app.webSocket('$default', () => undefined, Authenticated('chat'));
process.env.FRAMEWORK_JOBS_TABLE_NAME;`);
    const sources = [...SOURCES, Source.kinesis('clicks'), Source.topic('news')];
    const template = synth(newService(entry, { sources }));
    const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm').map(({ AlarmDescription, Threshold }) => {
      const [, title = '', of = '', anchor = ''] =
        /^(.*?): (?:Test\/Orders\/)(.*)\. docs.*#(.*)$/.exec(String(AlarmDescription)) ?? [];
      expect(title).not.toBe('');
      return `${anchor} ${of.replace(/-Test\w+/, '')} ${Threshold}`;
    });
    expect(alarms.sort()).toEqual([
      'door-errors HttpApi 5',
      'door-errors WebSocket 5',
      'failed-invocations Function 1',
      'failure-queue Function/Resource/AsyncFailures 1',
      'failure-queue Queue-orders/DeadLetters 1',
      'failure-queue Queue-reports/DeadLetters 1',
      'failure-queue Wiring/Kinesis/Failures 1',
      'failure-queue Wiring/Schedule-75a44d9c/Failures 1',
      'failure-queue Wiring/Topic/Failures 1',
      'late-streams Function 3600000',
      'lost-events Function 1',
      'lost-events Function 1',
      'old-messages Queue-orders 900',
      'old-messages Queue-reports 900',
      'slow-invocations Function 8000',
      'throttled-invocations Function 1',
      'throttled-tables Jobs 10',
      'undelivered-events Topic-news 1',
      'undelivered-events Wiring/Schedule-75a44d9c 1',
    ]);
    const used = alarms.map((alarm) => alarm.split(' ', 1)[0] ?? '');
    expect(used.filter((anchor) => !ANCHORS.includes(anchor))).toEqual([]);
    const [{ DashboardBody } = {}] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');
    const titles = JSON.stringify(DashboardBody).match(/(?<=title\\*":\\*")[^"\\]*/g);
    expect(titles).toEqual([
      'Invocations',
      'A front door answers 5xx',
      'Invocations are close to the timeout',
      'Messages are in a failure queue',
      'Lambda drops events',
      'Records of a stream wait',
      'Messages wait in a queue',
      'Events do not reach the function',
      'Calls of a table are throttled',
    ]);
  });
});
