import { cpSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as lambda from '@aws-sdk/client-lambda';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { launchBrowser } from '@sallyport/browser';
import { announce } from '../src/internal/commands/running.js';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { run as runCommand } from './support/command.js';
import { expectAccessible, openPage } from './support/judged.js';
import { createProject, type Project, start } from './support/run.js';

const TOPIC = 'arn:aws:sns:us-east-1:123456789012:exports';
const HERE = dirname(fileURLToPath(import.meta.url));

describe('a durable function', () => {
  let project: Project;
  let host: RunningHost;
  let clients: { readonly api: lambda.LambdaClient; readonly queues: SQSClient };

  const run = () => start(project, { entry: 'src/lambda.ts', conditions: ['@sallyport/source'], durable: 900 });
  const open = async () => {
    host = await run();
    const settings = {
      endpoint: `http://127.0.0.1:${host.ports.aws}`,
      region: 'us-east-1',
      credentials: host.keys,
    };
    clients = {
      api: new lambda.LambdaClient(settings),
      queues: new SQSClient({ ...settings, useQueueUrlAsEndpoint: false }),
    };
  };
  beforeAll(async () => {
    project = createProject({});
    cpSync(join(HERE, 'functions/durable.ts'), join(project.folder, 'src/lambda.ts'));
    symlinkSync(join(HERE, '../node_modules'), join(project.folder, 'node_modules'));
    await open();
  });
  afterAll(async () => {
    await host.stop();
    project.remove();
  });

  const executions = () => host.executions as NonNullable<typeof host.executions>;
  const named = (part: string) =>
    executions()
      .engine.list()
      .find(({ payload }) => payload.includes(part));
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

  const send = (body: string) => {
    const QueueUrl = `http://127.0.0.1:${host.ports.aws}/123456789012/orders.fifo`;
    const ids = { MessageGroupId: body, MessageDeduplicationId: body };
    return clients.queues.send(new SendMessageCommand({ QueueUrl, MessageBody: body, ...ids }));
  };

  it('gets an envelope for a message, suspends in a wait, and ends after the wait is skipped', async () => {
    await send('order-1');
    const { arn } = await until(() => named('order-1'));
    const [wait] = await until(() => {
      const all = executions()
        .engine.pending()
        .filter((one) => one.arn === arn && one.kind === 'wait');
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
  });

  it('starts an execution for each message of a standard queue through the Lambda API, and a restart runs it again', async () => {
    const QueueUrl = `http://127.0.0.1:${host.ports.aws}/123456789012/mails`;
    await clients.queues.send(new SendMessageCommand({ QueueUrl, MessageBody: 'mail-1' }));
    const own = () =>
      executions()
        .engine.list()
        .filter(({ name, payload }) => /^[0-9a-f]{48}/.test(name) && payload.includes('mail-1'));
    const { arn, name } = await until(() => own()[0]);
    const wait = (of: string) =>
      until(() =>
        executions()
          .engine.pending()
          .some((one) => one.arn === of && one.kind === 'wait'),
      );
    await wait(arn);
    executions().engine.skip((one) => one.arn === arn);
    expect(await executions().engine.ended(arn)).toMatchObject({ status: 'SUCCEEDED', invocations: 2 });
    const batch = named('mail-1');
    expect(batch).toMatchObject({ status: 'SUCCEEDED', result: '{"batchItemFailures":[]}', invocations: 1 });
    announce(host);
    expect(await runCommand(project, ['executions', 'restart', name])).toMatchObject({ code: 0 });
    const again = await until(() => own().find((one) => one.name !== name));
    expect(again.name).toMatch(new RegExp(`^${name}-[0-9a-f]{8}$`));
    await wait(again.arn);
    executions().engine.stop(again.arn);
  });

  it('starts one execution for equal starts of the function itself, and answers 202', async () => {
    const post = async () => {
      const response = await fetch(`http://127.0.0.1:${host.ports['gateway-v2']}/exports`, { method: 'POST' });
      return {
        status: response.status,
        ...((await response.json()) as { readonly arn: string; readonly outcome: string }),
      };
    };
    const first = await post();
    expect(first).toMatchObject({ status: 202, outcome: 'started' });
    expect((await post()).arn).toBe(first.arn);
  });

  const waiting = () =>
    until(() => {
      const one = executions()
        .engine.pending()
        .find(({ kind }) => kind === 'callback');
      return one && executions().engine.describe(one.arn);
    });

  it('continues an execution after a restart of the run, and accepts its callback from the real Lambda client', async () => {
    const { arn } = await waiting();
    await until(() => operationsOf(arn).includes('STEP approval submit SUCCEEDED'));
    await host.stop();
    await open();
    expect(operationsOf(arn)).toEqual([
      'EXECUTION  STARTED',
      'STEP collect SUCCEEDED',
      'CALLBACK approval STARTED',
      'STEP approval submit SUCCEEDED',
    ]);
    const { CallbackDetails } =
      executions()
        .engine.operations(arn)
        .find(({ Type }) => Type === 'CALLBACK') ?? {};
    const id = CallbackDetails?.CallbackId ?? '';
    const Result = Buffer.from('{"approved":true}');
    await clients.api.send(new lambda.SendDurableExecutionCallbackSuccessCommand({ CallbackId: id, Result }));
    expect(await executions().engine.ended(arn)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await clients.api.send(new lambda.GetDurableExecutionCommand({ DurableExecutionArn: arn }))).toMatchObject({
      Status: 'SUCCEEDED',
      StartTimestamp: expect.any(Date),
    });
    const late = clients.api.send(new lambda.SendDurableExecutionCallbackSuccessCommand({ CallbackId: id, Result }));
    await expect(late).rejects.toMatchObject({ name: 'CallbackTimeoutException' });
    const calls = host.journal.list().flatMap(({ awsCalls }) => awsCalls);
    expect(JSON.stringify(calls)).not.toContain(id);
  });

  it('replays after a kill at a checkpoint, and a recorded step does not run again', async () => {
    await send('order-2');
    const { arn } = await until(() => named('order-2'));
    const pending = (kind: string) =>
      until(() =>
        executions()
          .engine.pending()
          .find((one) => one.arn === arn && one.kind === kind),
      );
    await pending('wait');
    executions().killAtNext(arn);
    executions().engine.skip((one) => one.arn === arn);
    await pending('invocation');
    executions().engine.skip((one) => one.arn === arn);
    expect(await executions().engine.ended(arn)).toMatchObject({ status: 'SUCCEEDED', invocations: 3 });
    const flow = operationsOf(arn).filter((one) => /^(?:STEP|WAIT)/.test(one));
    expect(flow).toEqual(['STEP charge SUCCEEDED', 'WAIT cool off SUCCEEDED', 'STEP mail SUCCEEDED']);
    const killed = executions()
      .invocationsOf(arn)
      .map((id) => host.journal.get(id)?.status);
    expect(killed).toEqual(['ok', 'failed', 'ok']);

    const pages = lambda.paginateGetDurableExecutionHistory(
      { client: clients.api, pageSize: 4 },
      { DurableExecutionArn: arn, IncludeExecutionData: false },
    );
    const events: lambda.Event[] = [];
    for await (const { Events = [] } of pages) events.push(...Events);
    const own = ({ EventType, Name = '' }: lambda.Event) => `${EventType} ${Name.replace(/ [\w-]{36}$/, '')}`;
    // The wait can be skipped before its invocation has ended.
    expect(events.map(own).filter((one) => !/^(?:Execution|Invocation)/.test(one))).toEqual([
      'ContextStarted group 0',
      'ContextStarted queue 0',
      'StepStarted charge',
      'StepSucceeded charge',
      'WaitStarted cool off',
      'WaitSucceeded cool off',
      'StepStarted mail',
      'StepSucceeded mail',
      'ContextSucceeded queue 0',
      'ContextSucceeded group 0',
    ]);
    const completed = events.flatMap(({ InvocationCompletedDetails: details }) => (details ? [details] : []));
    const requestIds = executions()
      .invocationsOf(arn)
      .map((id) => host.journal.get(id)?.requestId);
    expect(completed.map(({ RequestId }) => RequestId)).toEqual(requestIds);
    expect(completed[1]?.Error).toEqual({});
  });

  it('stops an execution and lists it by a part of its name, as the API does', async () => {
    const Payload = Buffer.from(JSON.stringify({ Records: [] }));
    const start = {
      FunctionName: 'service:live',
      InvocationType: 'Event',
      DurableExecutionName: 'stopped-1',
      Payload,
    } as const;
    const { DurableExecutionArn } = await clients.api.send(new lambda.InvokeCommand(start));
    await clients.api.send(new lambda.StopDurableExecutionCommand({ DurableExecutionArn }));
    const list = new lambda.ListDurableExecutionsByFunctionCommand({
      FunctionName: 'service',
      DurableExecutionName: 'stopped',
    });
    expect(await clients.api.send(list)).toMatchObject({ DurableExecutions: [{ DurableExecutionName: 'stopped-1' }] });
    const other = clients.api.send(new lambda.InvokeCommand({ ...start, Payload: Buffer.from('{}') }));
    await expect(other).rejects.toMatchObject({ name: 'DurableExecutionAlreadyStartedException' });
  });

  it('is shown in the console and by the command: operations, an answer by a form, a restart; axe finds nothing', async () => {
    const event = { Records: [{ EventSource: 'aws:sns', Sns: { TopicArn: TOPIC, Message: 'all' } }] };
    const { arn } = executions().begin({
      name: 'shown',
      event,
      options: { origin: { kind: 'topic', target: 'exports' }, whenBusy: 'wait', asynchronous: true },
    });
    await until(() =>
      executions()
        .engine.pending()
        .some((one) => one.arn === arn && one.kind === 'callback'),
    );
    const browser = await launchBrowser();
    try {
      const { page } = await openPage(browser, `http://127.0.0.1:${host.ports.console}/#token=${host.token}`, 'light');
      await page.evaluate("location.hash = '#/executions'");
      await page.getByRole('link', { name: 'shown' }).click();
      const execution = page.getByRole('region', { name: 'Execution shown' });
      await execution.getByText('collect').first().waitFor();
      await expectAccessible(page);
      const { CallbackDetails } =
        executions()
          .engine.operations(arn)
          .find(({ Type }) => Type === 'CALLBACK') ?? {};
      expect(await page.getByText(CallbackDetails?.CallbackId ?? '').count()).toBe(0);
      const form = page.getByRole('form', { name: 'Answer approval' });
      await form.getByRole('textbox').fill('{"approved":false}');
      await form.getByRole('button', { name: /^Complete/ }).click();
      await page.getByRole('status').filter({ hasText: 'The callback is answered' }).waitFor();
      expect(await executions().engine.ended(arn)).toMatchObject({ status: 'SUCCEEDED' });
      await execution.getByText('"rejected"').waitFor();
      await page.getByRole('button', { name: 'Restart from here write' }).waitFor();
      await execution.getByRole('link', { name: /^#/ }).nth(1).waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: /^Restart r?$|^Restart$/ }).click();
      await page.getByRole('status').filter({ hasText: 'Another execution has started' }).waitFor();
      await expectAccessible(page);
    } finally {
      await browser.close();
    }
  });

  it('is listed, shown and acted on by the command', async () => {
    announce(host);
    const command = (...args: readonly string[]) => runCommand(project, ['executions', ...args]);
    expect(await command('shown')).toMatchObject({
      code: 0,
      out: expect.stringContaining('succeeded  callback  approval'),
    });
    const open = executions()
      .engine.list()
      .find(({ status }) => status === 'RUNNING');
    const answered = await command('complete', open?.name ?? '', 'approval', '{"approved":true}');
    expect(answered).toMatchObject({ code: 0, err: '' });
    expect(await executions().engine.ended(open?.arn ?? '')).toMatchObject({ status: 'SUCCEEDED' });
    expect(await command('skip')).toMatchObject({ code: 0 });
    expect(await command('nothing')).toMatchObject({ code: 2 });
    const written = executions().engine.list().length;
    expect(await command('restart', 'shown', '--from', 'write')).toMatchObject({ code: 0, err: '' });
    const again = executions().engine.list()[written];
    expect(await executions().engine.ended(again?.arn ?? '')).toMatchObject({ status: 'SUCCEEDED', invocations: 1 });
    const [before, after] = [
      executions().engine.operations(shownArn()),
      executions().engine.operations(again?.arn ?? ''),
    ];
    const times = (all: typeof before) =>
      all.slice(1, 4).map(({ Name, Status, EndTimestamp }) => [Name, Status, EndTimestamp]);
    expect(times(after)).toEqual(times(before));
    expect(after.map(({ Name = '' }) => Name)).toEqual(['', 'collect', 'approval', 'approval submit', 'write']);
  });

  const shownArn = () =>
    executions()
      .engine.list()
      .find(({ name }) => name === 'shown')?.arn ?? '';

  it.each([
    { title: 'an unknown step', args: ['restart', 'shown', '--from', 'paint'], message: 'has no operation "paint"' },
    {
      title: 'a running execution',
      args: ['restart', 'open-1', '--from', 'collect'],
      message: 'open-1 is running: stop it',
    },
    {
      title: 'an execution of another function',
      args: ['restart', 'foreign', '--from', 'a'],
      message: 'is of function mails',
    },
    {
      title: '--from without restart',
      args: ['skip', 'shown', '--from', 'write'],
      message: '--from belongs to restart',
    },
  ])('a restart from a step is rejected for $title', async ({ args, message }) => {
    const { engine } = executions();
    const event = { Records: [{ EventSource: 'aws:sns', Sns: { TopicArn: TOPIC, Message: 'all' } }] };
    const payload = JSON.stringify(event);
    if (!engine.list().some(({ name }) => name === 'foreign')) {
      const recorded = [
        { Id: 'a', Name: 'a', Type: 'STEP', Status: 'SUCCEEDED', StartTimestamp: new Date(0) },
      ] as const;
      const functionArn = 'arn:aws:lambda:us-east-1:123456789012:function:mails:$LATEST';
      engine.stop(engine.start({ functionArn, name: 'foreign', payload, recorded }).arn);
      const options = { origin: { kind: 'topic', target: 'exports' }, whenBusy: 'wait', asynchronous: true } as const;
      executions().begin({ name: 'open-1', event, options });
      await until(() => engine.pending().some(({ arn, kind }) => arn.includes('/open-1/') && kind === 'callback'));
    }
    const { code, err } = await runCommand(project, ['executions', ...args]);
    expect({ code: code > 0, err }).toEqual({ code: true, err: expect.stringContaining(message) });
  });

  it('a restart whose recorded steps the code does not have fails with the position', async () => {
    const { engine } = executions();
    const event = { Records: [{ EventSource: 'aws:sns', Sns: { TopicArn: TOPIC, Message: 'all' } }] };
    const { functionArn } = engine.describe(shownArn());
    const recorded = engine
      .operations(shownArn())
      .slice(1, 2)
      .map((one) => ({ ...one, Name: 'gather' }));
    const { arn } = engine.start({ functionArn, name: 'older', payload: JSON.stringify(event), recorded });
    expect(await engine.ended(arn)).toMatchObject({
      status: 'FAILED',
      error: { ErrorMessage: expect.stringMatching(/Non-deterministic execution.*"gather".*"collect"/) },
    });
  });
});
