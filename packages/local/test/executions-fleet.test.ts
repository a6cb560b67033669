import { cpSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvokeCommand, LambdaClient, ListDurableExecutionsByFunctionCommand } from '@aws-sdk/client-lambda';
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
      durableSeconds: 900,
      doors: [],
      sources: [{ kind: 'topic', name: 'exports', settings: {} }],
    },
    {
      path: 'App/Plain',
      entry: 'src/plain.mjs',
      doors: [],
      sources: [{ kind: 'topic', name: 'exports', settings: {} }],
    },
  ],
};
const PLAIN = `export const handler = async (event) => ({ keys: Object.keys(event), durable: process.env.FRAMEWORK_DURABLE ?? 'no' });`;

describe('a run of several functions', () => {
  let project: Project;
  let host: RunningHost;
  let client: LambdaClient;
  beforeAll(async () => {
    project = createProject({ 'src/plain.mjs': PLAIN, 'cdk.out/sallyport.json': JSON.stringify(MANIFEST) });
    cpSync(join(HERE, 'functions/durable.ts'), join(project.folder, 'src/durable.ts'));
    symlinkSync(join(HERE, '../node_modules'), join(project.folder, 'node_modules'));
    const flags = { all: true, port: 0, state: false, conditions: ['@sallyport/source'] };
    host = await startHost(loadConfig(project.folder, flags), { watch: false });
    const endpoint = `http://127.0.0.1:${host.ports.aws}`;
    client = new LambdaClient({ endpoint, region: 'us-east-1', credentials: host.keys });
  }, 60_000);
  afterAll(async () => {
    client.destroy();
    await host.stop();
    project.remove();
  });

  it('sends envelopes to its durable function only, and the other function receives the event', async () => {
    const event = {
      Records: [
        { EventSource: 'aws:sns', Sns: { TopicArn: 'arn:aws:sns:us-east-1:123456789012:exports', Message: 'all' } },
      ],
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
    expect(await engine?.ended(DurableExecutionArn)).toMatchObject({ status: 'SUCCEEDED', timeoutSeconds: 900 });
    const of = async (FunctionName: string) =>
      (await client.send(new ListDurableExecutionsByFunctionCommand({ FunctionName }))).DurableExecutions?.length;
    expect([await of('Exports'), await of('Plain')]).toEqual([1, 0]);
  }, 60_000);
});
