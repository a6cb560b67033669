import { cpSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as lambda from '@aws-sdk/client-lambda';
import { cancelExecution, completeCallback, startExecution, stopExecution } from '@sallyport/durable/start';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { createProject, type Project, start } from './support/run.js';

const TOPIC = 'arn:aws:sns:us-east-1:123456789012:bookings';
const FUNCTION_ARN = 'arn:aws:lambda:us-east-1:123456789012:function:service';
const HERE = dirname(fileURLToPath(import.meta.url));

describe("the Lambda API of a durable function, with AWS's client", () => {
  let project: Project;
  let host: RunningHost;
  let client: lambda.LambdaClient;
  beforeAll(async () => {
    project = createProject({});
    cpSync(join(HERE, 'functions/bookings.ts'), join(project.folder, 'src/lambda.ts'));
    symlinkSync(join(HERE, '../node_modules'), join(project.folder, 'node_modules'));
    host = await start(project, { entry: 'src/lambda.ts', conditions: ['@sallyport/source'], durable: 900 });
    const endpoint = `http://127.0.0.1:${host.ports.aws}`;
    client = new lambda.LambdaClient({ endpoint, region: 'us-east-1', credentials: host.keys, maxAttempts: 1 });
  });
  afterAll(async () => {
    client.destroy();
    await host.stop();
    project.remove();
  });

  const engine = () => (host.executions as NonNullable<typeof host.executions>).engine;
  const booking = (id: string) => ({
    Records: [{ EventSource: 'aws:sns', Sns: { TopicArn: TOPIC, MessageId: id, Message: id } }],
  });
  const begin = async (name: string) =>
    (await startExecution({ functionArn: 'service:live', name, event: booking(name), client })).arn;

  /** Starts an execution, and returns it with the id of its payment as soon as it waits for the payment. */
  async function waiting(name: string): Promise<{ readonly arn: string; readonly id: string }> {
    const arn = await begin(name);
    for (;;) {
      const all = engine().operations(arn);
      const id = all.find(({ Name, Type }) => Name === 'payment' && Type === 'CALLBACK')?.CallbackDetails?.CallbackId;
      const isSubmitted = all.some(({ Name, Status }) => Name === 'payment submit' && Status === 'SUCCEEDED');
      // The last operation before the execution waits.
      const isCancellable = all.some(({ Name }) => Name === 'framework cancel');
      if (id !== undefined && isSubmitted && isCancellable) return { arn, id };
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  const flow = (arn: string) =>
    engine()
      .operations(arn)
      .filter(({ Type }) => Type === 'STEP' || Type === 'CALLBACK')
      .map(({ Type, Name, Status }) => `${Type} ${Name} ${Status}`);

  it('startExecution and completeCallback: the same name is one execution, which ends after its answer', async () => {
    const { arn, id } = await waiting('paid-1');
    expect(await begin('paid-1')).toBe(arn);
    expect(await completeCallback(id, { paid: true }, { client })).toEqual({ outcome: 'completed' });
    expect(await engine().ended(arn)).toMatchObject({ status: 'SUCCEEDED' });
    await expect(completeCallback(id, { paid: true }, { client })).rejects.toMatchObject({
      code: 'durable.callback_gone',
    });
    const other = startExecution({ functionArn: 'service:live', name: 'paid-1', event: booking('other'), client });
    await expect(other).rejects.toMatchObject({ code: 'durable.execution_conflict' });
  });

  it('cancelExecution: the wait rejects, the compensation runs, and the second call finds the end', async () => {
    const { arn } = await waiting('cancelled-1');
    expect(await cancelExecution(arn, { client })).toEqual({ outcome: 'requested' });
    expect(await engine().ended(arn)).toMatchObject({ status: 'FAILED' });
    expect(flow(arn)).toEqual([
      'STEP reserve SUCCEEDED',
      'CALLBACK payment STARTED',
      'STEP payment submit SUCCEEDED',
      'CALLBACK framework cancel SUCCEEDED',
      'STEP framework end SUCCEEDED',
      'STEP undo reserve SUCCEEDED',
    ]);
    expect(await cancelExecution(arn, { client })).toEqual({ outcome: 'ended' });
  });

  it('stopExecution: the execution ends without its compensation', async () => {
    const { arn } = await waiting('stopped-1');
    await stopExecution(arn, 'the show is off', { client });
    expect(await engine().ended(arn)).toMatchObject({
      status: 'STOPPED',
      error: { ErrorType: 'Stopped', ErrorMessage: 'the show is off' },
    });
    expect(flow(arn)).not.toContain('STEP undo reserve SUCCEEDED');
    await expect(cancelExecution(`${arn}7`, { client })).rejects.toMatchObject({ code: 'durable.execution_gone' });
  });

  const Payload = Buffer.from('{"plain":true}');
  const named = (DurableExecutionName: string) => ({ FunctionName: 'service:live', DurableExecutionName, Payload });
  const list = async (input: Partial<lambda.ListDurableExecutionsByFunctionRequest>) => {
    const command = new lambda.ListDurableExecutionsByFunctionCommand({ FunctionName: 'service', ...input });
    const { DurableExecutions = [], NextMarker } = await client.send(command);
    const names = DurableExecutions.map(({ DurableExecutionName = '' }) => DurableExecutionName);
    return NextMarker === undefined ? names : [...names, `next ${NextMarker}`];
  };

  it('CheckpointDurableExecution and GetDurableExecutionState: a function stores a step and reads it in pages', async () => {
    const answer = await client.send(new lambda.InvokeCommand(named('plain-1')));
    expect(answer).toMatchObject({ StatusCode: 200, DurableExecutionArn: expect.stringContaining('/plain-1/') });
    expect(JSON.parse(Buffer.from(answer.Payload ?? []).toString())).toEqual({
      names: ['EXECUTION  STARTED', 'STEP reserve SUCCEEDED'],
      states: ['SUCCEEDED'],
    });
  });

  it('GetDurableExecution: describes an execution, with or without its data', async () => {
    const { DurableExecutionArn } = await client.send(new lambda.InvokeCommand(named('plain-1')));
    const describe = async (IncludeExecutionData?: boolean) => {
      const command = new lambda.GetDurableExecutionCommand({ DurableExecutionArn, IncludeExecutionData });
      const { $metadata, ...described } = await client.send(command);
      return described;
    };
    const facts = {
      DurableExecutionArn,
      DurableExecutionName: 'plain-1',
      FunctionArn: `${FUNCTION_ARN}:$LATEST`,
      Status: 'SUCCEEDED',
      StartTimestamp: expect.any(Date),
      EndTimestamp: expect.any(Date),
      Version: '$LATEST',
      DurableConfig: { ExecutionTimeout: 900 },
    };
    const Result = '{"names":["EXECUTION  STARTED","STEP reserve SUCCEEDED"],"states":["SUCCEEDED"]}';
    const data = { InputPayload: '{"plain":true}', Result };
    expect(await describe()).toEqual({ ...facts, ...data, ExecutionDataIncluded: true });
    expect(await describe(false)).toEqual({ ...facts, ExecutionDataIncluded: false });
  });

  it('GetDurableExecutionHistory: has pages, both orders, and data only on request', async () => {
    const { DurableExecutionArn } = await client.send(new lambda.InvokeCommand(named('plain-1')));
    const history = (input: Partial<lambda.GetDurableExecutionHistoryRequest>) =>
      client.send(new lambda.GetDurableExecutionHistoryCommand({ DurableExecutionArn, ...input }));
    const { Events: [first] = [], NextMarker } = await history({ MaxItems: 1 });
    expect([first?.EventType, NextMarker]).toEqual(['ExecutionStarted', '1']);
    const { Events: [last] = [] } = await history({ ReverseOrder: true, IncludeExecutionData: false });
    expect(last).toMatchObject({ EventType: 'ExecutionSucceeded', ExecutionSucceededDetails: { Result: {} } });
  });

  it.each<[string, Partial<lambda.ListDurableExecutionsByFunctionRequest>, readonly string[]]>([
    ['all, newest first', {}, ['plain-1', 'stopped-1', 'cancelled-1', 'paid-1']],
    ['oldest first', { ReverseOrder: true }, ['paid-1', 'cancelled-1', 'stopped-1', 'plain-1']],
    ['the first page', { MaxItems: 3 }, ['plain-1', 'stopped-1', 'cancelled-1', 'next 3']],
    ['the next page', { MaxItems: 3, Marker: '3' }, ['paid-1']],
    ['a name', { DurableExecutionName: 'stopped-1' }, ['stopped-1']],
    ['two states', { Statuses: ['FAILED', 'STOPPED'] }, ['stopped-1', 'cancelled-1']],
    ['a time that has passed', { StartedBefore: new Date(0) }, []],
    ['a time to come', { StartedAfter: new Date('2999-01-01') }, []],
    ['the version of the run', { Qualifier: '$LATEST', MaxItems: 1 }, ['plain-1', 'next 1']],
    ['another version', { Qualifier: '7' }, []],
    ['an ARN with an alias', { FunctionName: `${FUNCTION_ARN}:live`, MaxItems: 1 }, ['plain-1', 'next 1']],
  ])('ListDurableExecutionsByFunction: %s', async (_title, input, names) => {
    expect(await list(input)).toEqual(names);
  });

  it('SendDurableExecutionCallbackFailure and -Heartbeat: the execution continues, and then fails', async () => {
    const { arn, id } = await waiting('failed-1');
    await client.send(new lambda.SendDurableExecutionCallbackHeartbeatCommand({ CallbackId: id }));
    expect(engine().describe(arn).status).toBe('RUNNING');
    const failure = { CallbackId: id, Error: { ErrorType: 'Declined', ErrorMessage: 'the card was declined' } };
    await client.send(new lambda.SendDurableExecutionCallbackFailureCommand(failure));
    expect(await engine().ended(arn)).toMatchObject({ status: 'FAILED' });
    expect(flow(arn)).toContain('CALLBACK payment FAILED');
  });

  const DurableExecutionArn = `${FUNCTION_ARN}:$LATEST/durable-execution/none/1`;
  it.each<[string, () => Promise<unknown>, string]>([
    [
      'Invoke with a name of another event',
      () => client.send(new lambda.InvokeCommand({ ...named('paid-1'), Payload: Buffer.from('{}') })),
      'DurableExecutionAlreadyStartedException',
    ],
    [
      'Invoke with a name that AWS does not accept',
      () => client.send(new lambda.InvokeCommand(named('a/b'))),
      'InvalidParameterValueException',
    ],
    [
      'GetDurableExecution of an unknown execution',
      () => client.send(new lambda.GetDurableExecutionCommand({ DurableExecutionArn })),
      'ResourceNotFoundException',
    ],
    [
      'GetDurableExecutionHistory of an unknown execution',
      () => client.send(new lambda.GetDurableExecutionHistoryCommand({ DurableExecutionArn })),
      'ResourceNotFoundException',
    ],
    [
      'GetDurableExecutionState with an unknown token',
      () => client.send(new lambda.GetDurableExecutionStateCommand({ DurableExecutionArn, CheckpointToken: 'none' })),
      'InvalidParameterValueException',
    ],
    [
      'CheckpointDurableExecution with an unknown token',
      () => client.send(new lambda.CheckpointDurableExecutionCommand({ DurableExecutionArn, CheckpointToken: 'none' })),
      'InvalidParameterValueException',
    ],
    [
      'StopDurableExecution of an unknown execution',
      () => client.send(new lambda.StopDurableExecutionCommand({ DurableExecutionArn })),
      'ResourceNotFoundException',
    ],
    [
      'SendDurableExecutionCallbackSuccess with an unknown id',
      () => client.send(new lambda.SendDurableExecutionCallbackSuccessCommand({ CallbackId: 'none' })),
      'InvalidParameterValueException',
    ],
    [
      'ListDurableExecutionsByFunction of an unknown function',
      () => list({ FunctionName: 'mails' }),
      'ResourceNotFoundException',
    ],
    [
      'ListDurableExecutionsByFunction with 1,001 items',
      () => list({ MaxItems: 1001 }),
      'InvalidParameterValueException',
    ],
  ])('%s is rejected', async (_title, send, name) => {
    await expect(send()).rejects.toMatchObject({ name });
  });
});
