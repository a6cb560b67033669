import { cpSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as lambda from '@aws-sdk/client-lambda';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { createProject, type Project, start } from './support/run.js';

const HERE = dirname(fileURLToPath(import.meta.url));

describe('a durable function', () => {
  let project: Project;
  let host: RunningHost;
  let clients: { readonly api: lambda.LambdaClient; readonly queues: SQSClient };

  const run = () =>
    start(project, { entry: 'src/lambda.ts', conditions: ['@sallyport/source'], durable: 900 } as never);
  const open = async () => {
    host = await run();
    const settings = {
      endpoint: `http://127.0.0.1:${host.ports.aws}`,
      region: 'us-east-1',
      credentials: host.keys,
    };
    clients = { api: new lambda.LambdaClient(settings), queues: new SQSClient({ ...settings, useQueueUrlAsEndpoint: false }) };
  };
  beforeAll(async () => {
    project = createProject({});
    cpSync(join(HERE, 'functions/durable.ts'), join(project.folder, 'src/lambda.ts'));
    symlinkSync(join(HERE, '../node_modules'), join(project.folder, 'node_modules'));
    await open();
  }, 60_000);
  afterAll(async () => {
    await host.stop();
    project.remove();
  });

  const executions = () => host.executions as NonNullable<typeof host.executions>;
  const named = (part: string) => executions().engine.list().find(({ payload }) => payload.includes(part));
  const until = async <T>(look: () => T | undefined | false): Promise<T> => {
    for (;;) {
      const found = look();
      if (found !== undefined && found !== false) return found;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const operationsOf = (arn: string) =>
    executions()
      .engine.operations(arn)
      .map(({ Name, Type, Status }) => `${Type} ${Name ?? ''} ${Status}`);

  it('gets an envelope for a message, suspends in a wait, and ends after the wait is skipped', async () => {
    const QueueUrl = `http://127.0.0.1:${host.ports.aws}/123456789012/orders.fifo`;
    const send = (MessageBody: string) =>
      clients.queues.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: MessageBody, MessageDeduplicationId: MessageBody }));
    await send('order-1');
    const { arn } = await until(() => named('order-1'));
    const [wait] = await until(() => {
      const all = executions().engine.pending().filter((one) => one.arn === arn && one.kind === 'wait');
      return all.length > 0 && all;
    });
    expect(wait).toMatchObject({ name: 'cool off' });
    executions().engine.skip((one) => one.arn === arn);
    expect(await executions().engine.ended(arn)).toMatchObject({
      status: 'SUCCEEDED',
      result: '{"batchItemFailures":[]}',
      invocations: 2,
    });
    expect(executions().invocationsOf(arn)).toHaveLength(2);
    const [first] = executions().invocationsOf(arn);
    expect(host.journal.get(first ?? 0)?.origin).toMatchObject({ kind: 'queue', target: 'orders.fifo' });
  }, 60_000);
});
