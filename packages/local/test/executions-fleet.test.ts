import { cpSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvokeCommand, LambdaClient, ListDurableExecutionsByFunctionCommand } from '@aws-sdk/client-lambda';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { loadConfig } from '../src/internal/config/load.js';
import { type RunningHost, startHost } from '../src/internal/host/create-host.js';
import { createProject, type Project } from './support/run.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const MANIFEST = {
  version: 1,
  functions: [
    {
      path: 'App/Exports',
      entry: 'src/durable.ts',
      durableSeconds: 864_000,
      doors: [],
      sources: [
        { kind: 'topic', name: 'exports', settings: {} },
        { kind: 'queue', name: 'mails', settings: {} },
      ],
    },
    {
      path: 'App/Plain',
      entry: 'src/plain.mjs',
      doors: [],
      sources: [{ kind: 'topic', name: 'exports', settings: {} }],
    },
  ],
};
const PLAIN = `
export const handler = async (event) => ({ keys: Object.keys(event), durable: process.env.FRAMEWORK_DURABLE ?? 'no' });`;
const TOPIC = 'arn:aws:sns:us-east-1:123456789012:exports';

describe('a run of several functions', () => {
  let project: Project;
  let host: RunningHost;
  let client: LambdaClient;
  let queues: SQSClient;
  let topics: SNSClient;
  beforeAll(async () => {
    project = createProject({ 'src/plain.mjs': PLAIN, 'cdk.out/sallyport.json': JSON.stringify(MANIFEST) });
    cpSync(join(HERE, 'functions/durable.ts'), join(project.folder, 'src/durable.ts'));
    symlinkSync(join(HERE, '../node_modules'), join(project.folder, 'node_modules'));
    const flags = { all: true, port: 0, state: false, conditions: ['@sallyport/source'] };
    host = await startHost(loadConfig(project.folder, flags), { watch: false });
    const endpoint = `http://127.0.0.1:${host.ports.aws}`;
    const settings = { endpoint, region: 'us-east-1', credentials: host.keys };
    client = new LambdaClient(settings);
    queues = new SQSClient(settings);
    topics = new SNSClient(settings);
  });
  afterAll(async () => {
    for (const one of [client, queues, topics]) one.destroy();
    await host.stop();
    project.remove();
  });

  it('sends envelopes to its durable function only, and the other function receives the event', async () => {
    const event = {
      Records: [{ EventSource: 'aws:sns', Sns: { TopicArn: TOPIC, Message: 'all' } }],
    };
    const Payload = Buffer.from(JSON.stringify(event));
    const plain = await client.send(new InvokeCommand({ FunctionName: 'Plain', Payload }));
    expect(JSON.parse(Buffer.from(plain.Payload ?? []).toString())).toEqual({ keys: ['Records'], durable: 'no' });
    expect(plain.DurableExecutionArn).toBeUndefined();

    const start = {
      FunctionName: 'Exports',
      InvocationType: 'Event',
      DurableExecutionName: 'export-1',
      Payload,
    } as const;
    const { DurableExecutionArn = '' } = await client.send(new InvokeCommand(start));
    expect(DurableExecutionArn).toMatch(/:function:Exports:\$LATEST\/durable-execution\/export-1\//);
    const engine = host.executions?.engine;
    const waiting = () => engine?.pending().find(({ kind }) => kind === 'callback');
    while (!waiting()) await new Promise((resolve) => setTimeout(resolve, 10));
    const id = engine?.operations(DurableExecutionArn).find(({ Type }) => Type === 'CALLBACK')?.CallbackDetails;
    engine?.succeedCallback(id?.CallbackId ?? '', '{"approved":true}');
    expect(await engine?.ended(DurableExecutionArn)).toMatchObject({ status: 'SUCCEEDED', timeoutSeconds: 864_000 });
    const of = async (FunctionName: string) =>
      (await client.send(new ListDurableExecutionsByFunctionCommand({ FunctionName }))).DurableExecutions?.length;
    expect([await of('Exports'), await of('Plain')]).toEqual([1, 0]);
  });

  const executions = () => host.executions as NonNullable<typeof host.executions>;
  const until = async <T>(look: () => T | undefined): Promise<T> => {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  /** The execution of a record: its name is a digest. */
  const executionOf = (text: string) => until(() => recordsOf(text)[0]);
  const recordsOf = (text: string) =>
    executions()
      .engine.list()
      .filter(({ name, payload }) => /^[0-9a-f]{48}$/.test(name) && payload.includes(text));
  const waits = (arn: string, kind: string) =>
    until(() =>
      executions()
        .engine.pending()
        .find((one) => one.arn === arn && one.kind === kind),
    );
  const statuses = (arn: string) =>
    executions()
      .invocationsOf(arn)
      .map((id) => host.journal.get(id)?.status);

  it('starts an execution of the durable function for each message of its queue, and a kill replays it', async () => {
    const QueueUrl = `http://127.0.0.1:${host.ports.aws}/123456789012/mails`;
    await queues.send(new SendMessageCommand({ QueueUrl, MessageBody: 'mail-1' }));
    const { arn } = await executionOf('mail-1');
    expect(arn).toContain(':function:Exports:$LATEST/durable-execution/');
    await waits(arn, 'wait');
    executions().killAtNext(arn);
    executions().engine.skip((one) => one.arn === arn);
    await waits(arn, 'invocation');
    executions().engine.skip((one) => one.arn === arn);
    expect(await executions().engine.ended(arn)).toMatchObject({ status: 'SUCCEEDED', invocations: 3 });
    expect(statuses(arn)).toEqual(['ok', 'failed', 'ok']);
    const steps = executions()
      .engine.operations(arn)
      .filter(({ Type }) => Type === 'STEP' || Type === 'WAIT');
    expect(steps.map(({ Name, Status }) => `${Name} ${Status}`)).toEqual(['three days SUCCEEDED', 'mail SUCCEEDED']);
    const functions = executions()
      .invocationsOf(arn)
      .map((id) => host.journal.get(id)?.origin.function);
    expect(functions).toEqual(['Exports', 'Exports', 'Exports']);
  });

  it('delivers a notification to the durable function as an execution, and to the other function as the event', async () => {
    await topics.send(new PublishCommand({ TopicArn: TOPIC, Message: 'news-1' }));
    const { arn } = await executionOf('news-1');
    const { operationId } = await waits(arn, 'callback');
    await until(() =>
      executions()
        .engine.operations(arn)
        .find(({ Name, Status }) => Name === 'approval submit' && Status === 'SUCCEEDED'),
    );
    executions().killAtNext(arn);
    const callback = executions()
      .engine.operations(arn)
      .find(({ Id }) => Id === operationId);
    executions().engine.succeedCallback(callback?.CallbackDetails?.CallbackId ?? '', '{"approved":true}');
    await waits(arn, 'invocation');
    executions().engine.skip((one) => one.arn === arn);
    expect(await executions().engine.ended(arn)).toMatchObject({ status: 'SUCCEEDED' });
    expect(statuses(arn)).toEqual(['ok', 'failed', 'ok']);
    const plain = await until(() =>
      host.journal
        .list()
        .find(({ origin, event }) => origin.function === 'Plain' && JSON.stringify(event).includes('news-1')),
    );
    expect(plain).toMatchObject({ status: 'ok' });
    expect(recordsOf('news-1')).toHaveLength(1);
  });
});
