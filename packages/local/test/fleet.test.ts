import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Flags } from '../src/internal/config/load.js';
import { loadConfig } from '../src/internal/config/load.js';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { startHost } from '../src/internal/host/create-host.js';
import { run } from './support/command.js';
import { createProject, type Project } from './support/run.js';

const COUNT = 40;

/** A function that answers with its name, and sends a message to the queue of the next function. */
const SERVICE = (n: number) => `
import { SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
export const handler = async (event) => {
  if (event.Records) return event.Records[0].Sns ? 'topic ${n}' : { batchItemFailures: [] };
  if (event['detail-type']) return 'bus ${n}';
  if (event.queryStringParameters?.next) {
    const QueueUrl = process.env.AWS_ENDPOINT_URL + '/123456789012/q' + event.queryStringParameters.next;
    await new SQSClient({}).send(new SendMessageCommand({ QueueUrl, MessageBody: 'from ${n}' }));
  }
  return { statusCode: 200, body: 'function ${n} ' + process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE };
};`;

const resource = (n: number) => `
  F${n}:
    Type: AWS::Serverless::Function
    Properties:
      Runtime: nodejs24.x
      Handler: src/f${n}.handler
      Timeout: 50
      MemorySize: ${128 + n}
      Events:
        Api: { Type: HttpApi, Properties: { Path: '/f${n}/{id}', Method: GET } }
        Queue: { Type: SQS, Properties: { Queue: !GetAtt Q${n}.Arn, FunctionResponseTypes: [ReportBatchItemFailures] } }
        Paid: { Type: EventBridgeRule, Properties: { Pattern: { source: [s${n % 2}] } } }
  Q${n}: { Type: AWS::SQS::Queue, Properties: { QueueName: q${n} } }`;

const numbers = Array.from({ length: COUNT }, (_, index) => index);
const TEMPLATE = `Resources:${numbers.map(resource).join('')}\n`;

function createFleet(template = TEMPLATE): Project {
  const files = numbers.map((n): [string, string] => [`src/f${n}.mjs`, SERVICE(n)]);
  const project = createProject({ ...Object.fromEntries(files), 'template.yaml': template });
  symlinkSync(fileURLToPath(new URL('../node_modules', import.meta.url)), join(project.folder, 'node_modules'));
  return project;
}

const configOf = (project: Project, flags: Flags = {}) =>
  loadConfig(project.folder, { all: true, template: 'template.yaml', port: 0, state: false, ...flags });

describe('forty functions of one project', () => {
  let project: Project;
  let host: RunningHost;
  beforeAll(async () => {
    project = createFleet();
    host = await startHost(configOf(project), { watch: false });
  });
  afterAll(async () => {
    await host.stop();
    project.remove();
  });

  const get = (path: string) => fetch(`http://127.0.0.1:${host.ports['gateway-v2']}${path}`);
  const delivered = (target: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        const found = host.journal.list().some(({ origin, status }) => origin.target === target && status === 'ok');
        if (found) end();
      };
      const end = () => {
        stop();
        resolve();
      };
      const stop = host.journal.subscribe(() => setImmediate(look));
      look();
    });

  test('none runs before its first event; a request starts its function with the settings of the template', async () => {
    expect(host.invoker.environments()).toEqual([]);
    expect(existsSync(join(project.folder, '.sallyport', 'build'))).toBe(false);
    expect(await (await get('/f7/1')).text()).toBe('function 7 135');
    expect(host.invoker.environments().map(({ id }) => id.split(' ')[0])).toEqual(['F7']);
    expect(host.journal.list().at(-1)).toMatchObject({
      origin: { function: 'F7' },
      event: { routeKey: 'GET /f7/{id}', pathParameters: { id: '1' } },
    });
  });

  test('a message that one function sends starts the function of its queue, as one story', async () => {
    await get('/f1/1?next=30');
    await delivered('q30');
    const records = host.journal.list();
    const message = records.findLast(({ origin }) => origin.target === 'q30');
    const request = records.findLast(({ origin }) => origin.target.startsWith('GET /f1/1'));
    expect([message?.origin.function, message?.causedBy]).toEqual(['F30', request?.id]);
  });

  test('a request without a route reaches no function', async () => {
    expect((await get('/nosuch')).status).toBe(404);
  });

  test('a whole event finds its function by its queue', async () => {
    const event = {
      Records: [{ messageId: 'm', eventSource: 'aws:sqs', eventSourceARN: 'arn:aws:sqs:us-east-1:1:q7' }],
    };
    const { invocations } = await host.sender.send({ kind: 'event', options: event });
    expect(invocations[0]?.outcome).toMatchObject({ ok: true, answer: { batchItemFailures: [] } });
  });

  test('the error for an event without a function names the functions', async () => {
    const { invocations } = await host.sender.send({ kind: 'event', options: { a: 1 } });
    expect(invocations[0]?.outcome).toMatchObject({ ok: false, error: { errorType: 'local.unknown_function' } });
  });
});

test('an event of a bus reaches each function whose rule matches', async () => {
  const few = (n: number) => `Resources:${numbers.slice(0, n).map(resource).join('')}\n`;
  const project = createFleet(few(4));
  const host = await startHost(configOf(project), { watch: false });
  await host.invoker.invoke(
    { source: 's1', 'detail-type': 'Paid', detail: {}, resources: [] },
    { origin: { kind: 'event-bus', target: 'default' }, whenBusy: 'wait' },
  );
  expect(
    host.journal
      .list()
      .map(({ origin }) => origin.function)
      .sort(),
  ).toEqual(['F1', 'F3']);
  await host.stop();
  project.remove();
});

describe('functions that cannot be started', () => {
  const one = (name: string, runtime: string, file: string, route = '/a') => `
  ${name}:
    Type: AWS::Serverless::Function
    Properties:
      { Runtime: ${runtime}, Handler: ${file}.handler, Events: { A: { Type: HttpApi, Properties: { Path: ${route}, Method: GET } } } }`;
  let project: Project;
  afterEach(() => project.remove());

  test('are named, and the others run', () => {
    project = createFleet(
      `Resources:${one('A', 'nodejs24.x', 'src/f0')}${one('B', 'python3.12', 'b')}${one('C', 'nodejs24.x', 'src/nosuch')}${one('D', 'nodejs24.x', 'src/f1')}`,
    );
    const { fleet } = configOf(project);
    expect(fleet?.functions.map(({ name }) => name)).toEqual(['A', 'D']);
    expect(fleet?.notices).toEqual([
      'template.yaml: B is not started: its runtime is python3.12, and sallyport dev runs only Node.js',
      'template.yaml: C is not started: src/nosuch.ts does not exist',
      'template.yaml: the route GET /a is in the functions A and D; requests reach A',
    ]);
  });

  test.each<[string, string, Flags, string]>([
    [
      'no function is left',
      `Resources:${one('B', 'python3.12', 'b')}`,
      {},
      'template.yaml has no function that can be started: ',
    ],
    ['an entry is named too', TEMPLATE, { entry: 'src/f1.mjs' }, 'pass --all or an entry file, not both'],
    ['a debugger is asked for', TEMPLATE, { inspect: 9229 }, '--inspect is for one function'],
    [
      'an authorizer is one of its exports',
      TEMPLATE,
      { authorizer: 'lambda:a' },
      '--authorizer lambda:<export> is for one function',
    ],
  ])('the start fails if %s', (_title, template, flags, message) => {
    project = createFleet(template);
    expect(() => configOf(project, flags)).toThrow(expect.failure('local.usage', message));
  });

  test('without a template and a manifest, the command names what it needs', async () => {
    project = createFleet();
    const { code, err } = await run(project, ['dev', '--all', '--check']);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('--all needs the functions of a project: pass --template'),
    ]);
  });
});
