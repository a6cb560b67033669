/** Records the calls of the packages that create separate clients. The services are not reached: their responses do not matter. */
import { KinesisClient, PutRecordCommand, PutRecordsCommand } from '@aws-sdk/client-kinesis';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { createWebSocketClient } from '@sallyport/http/websocket';
import { secretFromArn } from '@sallyport/mcp/aws';
import { invokeSelf } from '@sallyport/mcp/tasks';
import { createKinesisJsonRecord, toPutRecordsEntry } from '@sallyport/streams';
import { createErrorTopicPublish } from '@sallyport/streams/error-topic';
import {
  cancelExecution,
  completeCallback,
  failCallback,
  heartbeatCallback,
  startExecution,
  stopExecution,
} from '../../../../durable/src/start.js';
import type { RecordedAccesses } from './expected.js';
import { accessesOf, type RecordedCall } from './recorded.js';

type Record = (run: () => Promise<unknown>) => Promise<readonly RecordedCall[]>;

/** An address without a server. */
const NOWHERE = {
  endpoint: 'http://127.0.0.1:9',
  region: 'eu-west-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  maxAttempts: 1,
};
/** The variables that lead clients of the SDK to an address of this machine. */
export const environmentTo = (endpoint: string) => ({
  AWS_ENDPOINT_URL: endpoint,
  AWS_REGION: NOWHERE.region,
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_MAX_ATTEMPTS: '1',
});
const failing = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    () => undefined,
  );

const STREAM = 'arn:aws:kinesis:eu-west-1:123456789012:stream/clicks';
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:errors';

/** The accesses of senders, by the variable that names the resource; `STREAM` for data streams, `SELF` for tasks of MCP. */
export async function recordSenders(record: Record): Promise<RecordedAccesses> {
  const saved = { ...process.env };
  Object.assign(process.env, environmentTo(NOWHERE.endpoint));
  const secret = await record(() =>
    failing(secretFromArn({ arn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:s' })()),
  );
  const topic = await record(() =>
    failing(createErrorTopicPublish()({ topicArn: TOPIC, subject: 'Error', message: '{}' })),
  );
  const self = await record(async () => {
    for (const version of ['$LATEST', '7']) {
      const environment = { AWS_LAMBDA_FUNCTION_NAME: 'notes', AWS_LAMBDA_FUNCTION_VERSION: version };
      await failing(invokeSelf({ environment })({} as never));
    }
  });
  process.env = saved;
  const sockets = createWebSocketClient('http://127.0.0.1:9/live', { config: NOWHERE });
  const connections = await record(async () => {
    await failing(sockets.postToConnection('id', new Uint8Array([1])));
    await failing(sockets.deleteConnection('id'));
    await failing(sockets.getConnection('id'));
  });
  sockets.close();
  return {
    FRAMEWORK_MCP_SECRET_ARN: accessesOf(secret),
    FRAMEWORK_WEBSOCKET_ENDPOINT: accessesOf(connections),
    ERROR_NOTIFICATION_TOPIC_ARN: accessesOf(topic),
    SELF: accessesOf(self),
    STREAM: accessesOf(await record(produce)),
    ...(await recordExecutions(record)),
  };
}

const EXECUTION = 'arn:aws:lambda:eu-west-1:123456789012:function:exports:1/durable-execution/n/i';
/** The members of answers from which the next call is made. */
const ANSWER = {
  DurableExecutionArn: EXECUTION,
  Status: 'RUNNING',
  Events: [
    { EventType: 'CallbackStarted', Id: 'c', Name: 'framework cancel', CallbackStartedDetails: { CallbackId: 'id' } },
  ],
};

/** The calls of a program that starts, answers, cancels and stops executions. */
async function recordExecutions(record: Record): Promise<RecordedAccesses> {
  const lambda = new LambdaClient(NOWHERE);
  const client = {
    async send(command: never) {
      await failing(lambda.send(command));
      return ANSWER;
    },
  };
  const start = await record(() => startExecution({ functionArn: 'exports:live', name: 'n', event: {}, client }));
  const answer = await record(async () => {
    await completeCallback('id', {}, { client });
    await failCallback('id', { message: 'no' }, { client });
    await heartbeatCallback('id', { client });
  });
  const cancel = await record(() => cancelExecution(EXECUTION, { client }));
  const stop = await record(() => stopExecution(EXECUTION, 'over', { client }));
  lambda.destroy();
  return {
    EXECUTION_START: accessesOf(start),
    EXECUTION_ANSWER: accessesOf(answer),
    EXECUTION_CANCEL: accessesOf(cancel),
    EXECUTION_STOP: accessesOf(stop),
  };
}

/** One record, and a batch of records, as the application sends them. */
async function produce(): Promise<void> {
  const kinesis = new KinesisClient(NOWHERE);
  const record = createKinesisJsonRecord({ partitionKey: 'a', payload: { clicks: 1 } });
  await failing(kinesis.send(new PutRecordsCommand({ StreamARN: STREAM, Records: [toPutRecordsEntry(record)] })));
  await failing(kinesis.send(new PutRecordCommand({ StreamARN: STREAM, ...toPutRecordsEntry(record) })));
  kinesis.destroy();
}
