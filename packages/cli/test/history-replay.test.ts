import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as lambda from '@aws-sdk/client-lambda';
import { GetQueueUrlCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { durableExecutions } from '@sallyport/durable';
import { explore } from '@sallyport/durable/testing';
import { buildQueueEvent, type TestEnv } from '@sallyport/testkit';
import { HISTORY_COMMAND } from '../src/history/command.js';
import { type DevRun, runIn, startDev } from './support/dev.js';
import { registerExports } from './support/exports-app.js';

const APP = fileURLToPath(new URL('support/exports-app.ts', import.meta.url));
const ENTRY = `
import { durableExecutions } from '@sallyport/durable';
import { SecureApp } from '@sallyport/secure';
import { registerExports } from ${JSON.stringify(APP)};
const principalResolver = () => ({ identity: 'ada', scopes: [] });
const app = new SecureApp({ principalResolver, surfaces: [durableExecutions()] });
registerExports(app, 'write');
export const handler = app.handleLambda;
`;

let dev: DevRun;
let client: lambda.LambdaClient;
beforeAll(async () => {
  dev = await startDev(() => ENTRY, { durable: 3600 });
  const { AWS_ENDPOINT_URL: endpoint = '', AWS_REGION: region = '', ...keys } = dev.variables;
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = keys;
  client = new lambda.LambdaClient({ endpoint, region, credentials: { accessKeyId, secretAccessKey }, maxAttempts: 1 });
});
afterAll(async () => {
  client.destroy();
  await dev.stop();
});

/** Waits until the history of an execution has an event. */
async function until(DurableExecutionArn: string, type: string, name?: string): Promise<void> {
  for (;;) {
    const { Events = [] } = await client.send(new lambda.GetDurableExecutionHistoryCommand({ DurableExecutionArn }));
    if (Events.some(({ EventType, Name }) => EventType === type && (name === undefined || Name === name))) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The execution that a message started. */
async function started(): Promise<{ readonly name: string; readonly arn: string }> {
  for (;;) {
    const command = new lambda.ListDurableExecutionsByFunctionCommand({ FunctionName: 'service' });
    const { DurableExecutions = [] } = await client.send(command);
    for (const { DurableExecutionName: name = '', DurableExecutionArn: arn = '' } of DurableExecutions) {
      if (/^[0-9a-f]{48}$/.test(name)) return { name, arn };
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const build = (last: string) => (env: TestEnv) => {
  const app = env.app({ surfaces: [durableExecutions()] });
  registerExports(app, last);
  return app;
};
const EVENT = buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:exports', [{ body: '{"note":"Tea at four"}' }]);

test('histories of a real run, exported by the command, fit the same build and not a changed build', async () => {
  const { QueueUrl } = await dev.sqs.send(new GetQueueUrlCommand({ QueueName: 'exports' }));
  await dev.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{"note":"Tea at four"}' }));
  const { name, arn } = await started();
  await until(arn, 'WaitStarted');
  const exported = async (file: string, ...execution: readonly string[]) => {
    const ran = await runIn(dev.folder, HISTORY_COMMAND.run, ['export', ...execution, '--dev', '--out', file]);
    expect(ran).toMatchObject({ code: 0, err: expect.stringContaining(`saved ${file}`) });
    return readFileSync(join(dev.folder, file), 'utf8');
  };
  const waiting = await exported('waiting.json', arn);
  expect(await dev.local('executions', 'skip', name)).toMatchObject({ code: 0, err: '' });
  await until(arn, 'StepSucceeded', 'approval submit');
  expect(await dev.local('executions', 'complete', name, 'approval', '{"approved":true}')).toMatchObject({ code: 0 });
  await until(arn, 'ExecutionSucceeded');
  const ended = await exported('ended.json', name, '--function', 'service');
  expect(ended).toContain('"status": "SUCCEEDED"');
  expect(ended).not.toMatch(/Tea|hunter2|123456789012/);

  const options = { seeds: 1, functionName: 'service', callbacks: { approval: { approved: true } } };
  expect(await explore(build('write'), EVENT, { ...options, histories: [waiting, ended] })).toEqual([]);
  // The execution that waits has not reached the changed step.
  const found = await explore(build('store'), EVENT, { ...options, histories: [waiting, ended] });
  expect(found).toEqual([{ kind: 'history', message: expect.stringMatching(/"write".*"store"/s) }]);
});
