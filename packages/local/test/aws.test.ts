import { statSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { join } from 'node:path';
import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GetConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  KinesisClient,
  ListShardsCommand,
  PutRecordCommand,
  PutRecordsCommand,
} from '@aws-sdk/client-kinesis';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { ListTopicsCommand, PublishBatchCommand, PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { GetParameterCommand, GetParametersByPathCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { systemClock } from '@sallyport/core';
import type { AwsCall } from '../src/internal/journal/journal.js';
import { clientConfig } from './support/clients.js';
import { createTestHost, type TestHost, trigger } from './support/host.js';
import { startPort, type TestPort } from './support/port.js';

interface Received {
  readonly Records?: readonly {
    readonly body: string;
    readonly receiptHandle: string;
    readonly Sns: { readonly Message: string };
    readonly kinesis: { readonly data: string };
  }[];
  readonly fail?: boolean;
}

let host: TestHost;
let port: TestPort;
const calls: AwsCall[] = [];
const posted: [string, string][] = [];

beforeAll(async () => {
  const triggers = [
    trigger('queue', 'orders'),
    trigger('topic', 'news'),
    trigger('stream', 'clicks'),
    trigger('event-bus', '', { source: 'billing' }),
  ];
  const answer = (event: Received) => {
    if (event.fail || event.Records?.[0]?.body === 'again') throw new TypeError('as asked');
    return event.Records ? {} : { echo: event };
  };
  const connection = {
    connectionId: 'c=1',
    connectedAt: new Date(0),
    lastActiveAt: new Date(1000),
    sourceIp: '127.0.0.1',
    userAgent: 'ws',
  };
  host = createTestHost(answer, {
    triggers,
    clock: systemClock,
    sockets: {
      post: (id: string, data: Uint8Array) => id === 'c=1' && posted.push([id, Buffer.from(data).toString()]) > 0,
      get: (id: string) => (id === 'c=1' ? connection : undefined),
      close: (id: string) => id === 'c=1',
      list: () => [connection],
    },
  });
  const members = host as unknown as Record<string, unknown>;
  const journal = {
    ...host.journal,
    get: () => ({ logs: [{ text: 'a line' }] }),
    idByTrace: (root: string) => (root === '1-a' ? 7 : undefined),
  };
  members.journal = {
    ...journal,
    append: (_id: number, list: string, entry: AwsCall) => list === 'awsCalls' && calls.push(entry),
  };
  port = await startPort(host);
  await port.sources.start();
});

afterAll(async () => {
  await port.stop();
  host.remove();
});

beforeEach(() => {
  host.invocations.length = 0;
});

const config = () => clientConfig(host);
const events = () => host.invocations.map(({ event }) => event as Received);

describe('one port', () => {
  it('speaks HTTP/1.1, also in pieces, and HTTP/2 with prior knowledge', async () => {
    const address = { host: '127.0.0.1', port: host.ports.aws };
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(address, () => {
        socket.write('P');
        setImmediate(() => socket.write('UT / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'));
      });
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString();
      });
      socket.once('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    const session = connectHttp2(`http://127.0.0.1:${host.ports.aws}`);
    const status = await new Promise((resolve) => {
      session
        .request({ ':path': '/' })
        .on('response', (headers) => resolve(headers[':status']))
        .resume();
    });
    session.close();
    expect(status).toBe(403);
  });

  it.each<[string, object, string]>([
    ['another access key', { accessKeyId: 'AKIAOTHER', secretAccessKey: 'x' }, 'UnrecognizedClientException'],
    [
      'another secret',
      { ...clientConfig({ ports: {} as never }).credentials, secretAccessKey: 'x' },
      'InvalidSignatureException',
    ],
  ])('rejects %s', async (_name, credentials, name) => {
    const client = new SQSClient({ ...config(), credentials: credentials as never });
    await expect(client.send(new ListQueuesCommand({}))).rejects.toMatchObject({
      name,
      $metadata: { httpStatusCode: 403 },
    });
  });

  it('rejects a request without a signature and an old one, so that no web page posts there', async () => {
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.ListQueues' };
    const unsigned = await fetch(`http://127.0.0.1:${host.ports.aws}/`, { method: 'POST', headers, body: '{}' });
    expect([unsigned.status, ((await unsigned.json()) as { __type: string }).__type]).toEqual([
      403,
      'MissingAuthenticationToken',
    ]);
    const client = new SQSClient({ ...config(), systemClockOffset: -3_600_000 });
    await expect(client.send(new ListQueuesCommand({}))).rejects.toMatchObject({ name: 'RequestTimeTooSkewed' });
  });

  it('rejects a body that is too large, or not JSON, and names unsupported operations', async () => {
    const client = new SQSClient(config());
    const large = client.send(new SendMessageCommand({ QueueUrl: 'orders', MessageBody: 'x'.repeat(17_000_000) }));
    await expect(large).rejects.toMatchObject({ $metadata: { httpStatusCode: 413 } });
    const purge = client.send(new DeleteQueueCommand({ QueueUrl: 'orders' }));
    await expect(purge).rejects.toMatchObject({
      message: 'DeleteQueue is not emulated',
      $metadata: { httpStatusCode: 501 },
    });
  });

  it('names the flag that allows an unsupported service', async () => {
    // Any client, signing for another service: the scope of the signature selects the service.
    const other = new SSMClient({ ...config(), signingName: 'kms' } as never);
    other.middlewareStack.add(
      (next, context) => (args) => {
        const scheme = (
          context as {
            __smithy_context?: { selectedHttpAuthScheme?: { httpAuthOption?: { signingProperties?: object } } };
          }
        ).__smithy_context?.selectedHttpAuthScheme?.httpAuthOption?.signingProperties;
        Object.assign(scheme ?? {}, { name: 'kms' });
        Object.assign(
          (context as { endpointV2?: { properties: { authSchemes?: object[] } } }).endpointV2?.properties
            .authSchemes?.[0] ?? {},
          { signingName: 'kms' },
        );
        return next(args);
      },
      { step: 'finalizeRequest', name: 'otherService', priority: 'low' },
    );
    await expect(other.send(new GetParameterCommand({ Name: 'a' }))).rejects.toMatchObject({
      message: expect.stringContaining('--aws kms'),
      $metadata: { httpStatusCode: 501 },
    });
  });

  it('records the calls of an invocation in the journal', async () => {
    const client = new SQSClient(config());
    client.middlewareStack.add(
      (next) => (args) => {
        (args.request as { headers: Record<string, string> }).headers['x-amzn-trace-id'] =
          'Root=1-a;Parent=b;Sampled=1';
        return next(args);
      },
      { step: 'build', name: 'trace' },
    );
    const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: 'orders' }));
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'traced' }));
    expect(calls).toMatchObject([
      { service: 'sqs', operation: 'GetQueueUrl', resource: 'orders', status: 200, error: null },
      { service: 'sqs', operation: 'SendMessage', resource: 'orders', status: 200, error: null },
    ]);
    await host.settleTurns();
    expect(host.invocations[0]?.options.traceId).toBe('Root=1-a;Parent=b;Sampled=1');
  });
});

describe('SQS', () => {
  const client = () => new SQSClient(config());
  const urlOf = async (QueueName: string) =>
    (await client().send(new CreateQueueCommand({ QueueName }))).QueueUrl ?? '';

  it('delivers sent messages to the function, separately and in a batch', async () => {
    const QueueUrl = await urlOf('orders');
    const attributes = { kind: { DataType: 'String', StringValue: 'new' } };
    const sent = await client().send(
      new SendMessageCommand({ QueueUrl, MessageBody: '{"id":1}', MessageAttributes: attributes }),
    );
    expect(sent).toMatchObject({
      MessageId: expect.any(String),
      MD5OfMessageBody: 'd2ce28b9a7fd7e4407e2b0fd499b7fe4',
      MD5OfMessageAttributes: '6c03da4e31553b96eb78c9e6a0d1a929',
    });
    const Entries = [
      { Id: 'a', MessageBody: 'b1' },
      { Id: 'b', MessageBody: 'b2' },
      { Id: 'c', MessageBody: 'c', DelaySeconds: 901 },
    ];
    const batch = await client().send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    expect(batch.Successful?.map(({ Id }) => Id)).toEqual(['a', 'b']);
    expect(batch.Failed).toMatchObject([{ Id: 'c', Code: 'InvalidParameterValue' }]);
    await host.settleTurns();
    const bodies = events().flatMap(({ Records = [] }) => Records.map(({ body }) => body));
    expect(bodies.sort()).toEqual(['b1', 'b2', '{"id":1}']);
    expect(await client().send(new ReceiveMessageCommand({ QueueUrl }))).not.toHaveProperty('Messages');
  });

  it('a handler changes the visibility of its message, and deletes it, with the receipt handle of the event', async () => {
    const QueueUrl = await urlOf('orders');
    const handle = () => events().at(-1)?.Records?.[0]?.receiptHandle;
    await client().send(new SendMessageCommand({ QueueUrl, MessageBody: 'again' }));
    await host.settleTurns();
    const first = handle();
    const now = { QueueUrl, ReceiptHandle: first, VisibilityTimeout: 0 };
    await client().send(new ChangeMessageVisibilityCommand(now));
    await host.settleTurns();
    expect(host.invocations).toHaveLength(2);
    await expect(client().send(new ChangeMessageVisibilityCommand(now))).rejects.toMatchObject({
      name: 'ReceiptHandleIsInvalid',
    });
    await client().send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: handle() }));
    expect(port.sources.list().find(({ name }) => name === 'orders')?.records).toEqual([]);
  });

  it('returns messages without a handler to a receiver, hides them, and deletes them', async () => {
    const QueueUrl = await urlOf('outbox');
    const MessageAttributes = {
      n: { DataType: 'Number', StringValue: '1' },
      b: { DataType: 'Binary', BinaryValue: new Uint8Array([1]) },
    };
    await client().send(new SendMessageCommand({ QueueUrl, MessageBody: 'hello', MessageAttributes }));
    const receive = () =>
      client().send(
        new ReceiveMessageCommand({ QueueUrl, MessageSystemAttributeNames: ['All'], MessageAttributeNames: ['All'] }),
      );
    const [message] = (await receive()).Messages ?? [];
    expect(message).toMatchObject({ Body: 'hello', Attributes: { ApproximateReceiveCount: '1' }, MessageAttributes });
    expect((await receive()).Messages).toBeUndefined();
    const { Attributes } = await client().send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
    expect(Attributes).toMatchObject({ ApproximateNumberOfMessages: '0', ApproximateNumberOfMessagesNotVisible: '1' });
    await client().send(
      new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout: 0 }),
    );
    const [again] = (await receive()).Messages ?? [];
    expect(again).toMatchObject({ MessageId: message?.MessageId, Attributes: { ApproximateReceiveCount: '2' } });
    await client().send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: again?.ReceiptHandle }));
    const { Attributes: left } = await client().send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
    );
    expect(left).toMatchObject({ ApproximateNumberOfMessages: '0', ApproximateNumberOfMessagesNotVisible: '0' });
  });

  it('wakes a receiver that waits', async () => {
    const QueueUrl = await urlOf('waiting');
    const waiting = client().send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
    await client().send(new SendMessageCommand({ QueueUrl, MessageBody: 'at last' }));
    expect((await waiting).Messages).toMatchObject([{ Body: 'at last' }]);
  });

  it('keeps the order of a group: the next message comes when the first is deleted', async () => {
    const QueueUrl = await urlOf('jobs.fifo');
    for (const body of ['1', '2']) {
      const one = { QueueUrl, MessageBody: body, MessageGroupId: 'g', MessageDeduplicationId: body };
      expect((await client().send(new SendMessageCommand(one))).SequenceNumber).toMatch(/^\d{20}$/);
    }
    const receive = async () => (await client().send(new ReceiveMessageCommand({ QueueUrl }))).Messages ?? [];
    const [first] = await receive();
    expect([first?.Body, await receive()]).toEqual(['1', []]);
    await client().send(
      new DeleteMessageBatchCommand({ QueueUrl, Entries: [{ Id: 'x', ReceiptHandle: first?.ReceiptHandle }] }),
    );
    expect(await receive()).toMatchObject([{ Body: '2' }]);
  });

  it.each<[string, () => Promise<unknown>, string]>([
    [
      'a FIFO message without a group',
      async () => client().send(new SendMessageCommand({ QueueUrl: await urlOf('a.fifo'), MessageBody: 'x' })),
      'MissingParameter',
    ],
    [
      'a queue name that none can have',
      async () => client().send(new GetQueueUrlCommand({ QueueName: 'a b' })),
      'QueueDoesNotExist',
    ],
    [
      'an empty batch',
      async () => client().send(new SendMessageBatchCommand({ QueueUrl: await urlOf('orders'), Entries: [] })),
      'EmptyBatchRequest',
    ],
    [
      'an Id of a batch with a blank',
      async () =>
        client().send(
          new SendMessageBatchCommand({ QueueUrl: await urlOf('plain'), Entries: [{ Id: 'a b', MessageBody: 'x' }] }),
        ),
      'InvalidBatchEntryId',
    ],
    [
      'a wait above 20 s',
      async () => client().send(new ReceiveMessageCommand({ QueueUrl: await urlOf('plain'), WaitTimeSeconds: 21 })),
      'InvalidParameterValue',
    ],
  ])('rejects %s', async (_name, call, name) => {
    await expect(call()).rejects.toMatchObject({ name });
  });

  const oneByte = { a: { DataType: 'String', StringValue: 'b' } };
  it.each<[string, string, Partial<SendMessageCommandInput>, string]>([
    ['an empty body', 'plain', { MessageBody: '' }, 'MissingParameter'],
    ['a character that XML has not', 'plain', { MessageBody: 'a\u0001b' }, 'InvalidMessageContents'],
    ['half a surrogate pair', 'plain', { MessageBody: 'a\ud800' }, 'InvalidMessageContents'],
    [
      'attributes that make it too large',
      'plain',
      { MessageBody: 'x'.repeat(1_048_576), MessageAttributes: oneByte },
      'InvalidParameterValue',
    ],
    ['a delay in a FIFO queue', 'a.fifo', { MessageGroupId: 'g', DelaySeconds: 1 }, 'InvalidParameterValue'],
  ])('rejects a message with %s', async (_name, queue, members, name) => {
    const input = { QueueUrl: await urlOf(queue), MessageBody: 'x', ...members };
    await expect(client().send(new SendMessageCommand(input))).rejects.toMatchObject({ name });
  });

  it('counts name, type and value of an attribute as bytes of the message', async () => {
    // 1 byte of name, 6 of type, 1 of value.
    const input = { QueueUrl: await urlOf('largest'), MessageBody: 'x'.repeat(1_048_568), MessageAttributes: oneByte };
    expect(await client().send(new SendMessageCommand(input))).toHaveProperty('MessageId');
    const Entries = ['1', '2'].map((Id) => ({ ...input, Id, MessageBody: 'x'.repeat(524_281) }));
    const batch = client().send(new SendMessageBatchCommand({ QueueUrl: input.QueueUrl, Entries }));
    await expect(batch).rejects.toMatchObject({ name: 'BatchRequestTooLong' });
  });
});

it('SNS publishes to handlers of topics, in batches too', async () => {
  const client = new SNSClient(config());
  const TopicArn = 'arn:aws:sns:us-east-1:123456789012:news';
  const MessageAttributes = { kind: { DataType: 'String', StringValue: 'a&b' } };
  await client.send(new PublishCommand({ TopicArn, Message: 'hello <you>', Subject: 's', MessageAttributes }));
  const PublishBatchRequestEntries = [
    { Id: '1', Message: 'one' },
    { Id: '2', Message: '{}', MessageStructure: 'json' },
  ];
  const batch = await client.send(new PublishBatchCommand({ TopicArn, PublishBatchRequestEntries }));
  expect(batch).toMatchObject({ Successful: [{ Id: '1' }], Failed: [{ Id: '2', Code: 'InvalidParameter' }] });
  await host.settleTurns();
  expect(events().map(({ Records }) => Records?.[0]?.Sns)).toMatchObject([
    { Message: 'hello <you>', Subject: 's', MessageAttributes: { kind: { Type: 'String', Value: 'a&b' } } },
    { Message: 'one' },
  ]);
  expect((await client.send(new ListTopicsCommand({}))).Topics).toEqual([{ TopicArn }]);
  await expect(client.send(new PublishCommand({ TopicArn: 'news', Message: 'x' }))).rejects.toMatchObject({
    name: 'InvalidParameterException',
  });
});

it('EventBridge delivers selected events, and names malformed entries', async () => {
  const client = new EventBridgeClient(config());
  const { Entries, FailedEntryCount } = await client.send(
    new PutEventsCommand({
      Entries: [
        { Source: 'billing', DetailType: 'InvoicePaid', Detail: '{"id":1}', Time: new Date('2026-11-22T10:00:00Z') },
        { Source: 'billing', DetailType: 'InvoicePaid', Detail: 'no' },
        { Source: 'shipping', DetailType: 'Sent', Detail: '{}' },
      ],
    }),
  );
  expect([FailedEntryCount, Entries?.[1]]).toEqual([
    1,
    { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' },
  ]);
  await host.settleTurns();
  expect(events()).toMatchObject([
    { source: 'billing', 'detail-type': 'InvoicePaid', detail: { id: 1 }, time: '2026-11-22T10:00:00Z' },
  ]);
  expect(host.notices.at(-1)).toBe('no selector matches the event shipping, Sent of the bus default');
});

it('Kinesis over HTTP/2 accepts records, and delivers them to enhanced consumers', async () => {
  const client = new KinesisClient(config());
  const StreamName = 'clicks';
  const first = await client.send(new PutRecordCommand({ StreamName, Data: Buffer.from('one'), PartitionKey: 'a' }));
  const Records = ['two', 'three'].map((text) => ({ Data: Buffer.from(text), PartitionKey: 'a' }));
  const more = await client.send(new PutRecordsCommand({ StreamName, Records }));
  expect([first.ShardId, more.FailedRecordCount, more.Records?.length]).toEqual(['shardId-000000000000', 0, 2]);
  expect(BigInt(more.Records?.[0]?.SequenceNumber ?? 0)).toBeGreaterThan(BigInt(first.SequenceNumber ?? 0));
  await host.settleTurns();
  const texts = events().flatMap(({ Records: all = [] }) =>
    all.map(({ kinesis }) => Buffer.from(kinesis.data, 'base64').toString()),
  );
  expect(texts).toEqual(['one', 'two', 'three']);
  const { Shards = [] } = await client.send(new ListShardsCommand({ StreamName }));
  expect(Shards).toHaveLength(1);
  const read = async (part: object) => {
    const iterator = { StreamName, ShardId: 'shardId-000000000000', ...part } as never;
    const { ShardIterator } = await client.send(new GetShardIteratorCommand(iterator));
    const answer = await client.send(new GetRecordsCommand({ ShardIterator }));
    return answer.Records?.map(({ Data }) => Buffer.from(Data ?? []).toString());
  };
  expect(await read({ ShardIteratorType: 'TRIM_HORIZON' })).toEqual(['one', 'two', 'three']);
  expect(await read({ ShardIteratorType: 'LATEST' })).toEqual([]);
  const at = { StartingSequenceNumber: more.Records?.[0]?.SequenceNumber };
  expect(await read({ ShardIteratorType: 'AT_SEQUENCE_NUMBER', ...at })).toEqual(['two', 'three']);
  expect(await read({ ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', ...at })).toEqual(['three']);
  client.destroy();
});

it('@connections reaches the sockets of the WebSocket door', async () => {
  const client = new ApiGatewayManagementApiClient(config());
  await client.send(new PostToConnectionCommand({ ConnectionId: 'c=1', Data: 'hello' }));
  expect(posted).toEqual([['c=1', 'hello']]);
  const found = await client.send(new GetConnectionCommand({ ConnectionId: 'c=1' }));
  expect(found).toMatchObject({ ConnectedAt: new Date(0), Identity: { SourceIp: '127.0.0.1', UserAgent: 'ws' } });
  await client.send(new DeleteConnectionCommand({ ConnectionId: 'c=1' }));
  const gone = client.send(new PostToConnectionCommand({ ConnectionId: 'gone', Data: 'x' }));
  await expect(gone).rejects.toMatchObject({ name: 'GoneException', $metadata: { httpStatusCode: 410 } });
  const large = client.send(new PostToConnectionCommand({ ConnectionId: 'c=1', Data: 'x'.repeat(131_073) }));
  await expect(large).rejects.toMatchObject({ name: 'PayloadTooLargeException' });
});

describe('Lambda', () => {
  const client = () => new LambdaClient(config());
  const FunctionName = 'arn:aws:lambda:us-east-1:123456789012:function:notes';

  it('invokes this function and answers its result or error', async () => {
    const ClientContext = Buffer.from('{"custom":{"a":"b"}}').toString('base64');
    const { Payload, StatusCode, FunctionError } = await client().send(
      new InvokeCommand({ FunctionName, Payload: '{"n":1}', ClientContext }),
    );
    expect([StatusCode, FunctionError, Buffer.from(Payload ?? []).toString()]).toEqual([
      200,
      undefined,
      '{"echo":{"n":1}}',
    ]);
    expect(host.invocations[0]?.options).toMatchObject({
      clientContext: { custom: { a: 'b' } },
      origin: { kind: 'invoke', target: 'notes' },
    });
    const failed = await client().send(new InvokeCommand({ FunctionName: 'notes', Payload: '{"fail":true}' }));
    expect([failed.FunctionError, JSON.parse(Buffer.from(failed.Payload ?? []).toString())]).toEqual([
      'Unhandled',
      { errorType: 'TypeError', errorMessage: 'as asked' },
    ]);
  });

  it('returns the end of the log with LogType Tail', async () => {
    const tail = await client().send(new InvokeCommand({ FunctionName, LogType: 'Tail' }));
    expect(Buffer.from(tail.LogResult ?? '', 'base64').toString()).toMatch(
      /^START RequestId: (\S+) Version: \$LATEST\na line\nEND RequestId: \1\n$/,
    );
    expect(await client().send(new InvokeCommand({ FunctionName }))).not.toHaveProperty('LogResult');
  });

  it('queues an event, and rejects other functions', async () => {
    const { StatusCode } = await client().send(
      new InvokeCommand({ FunctionName, Payload: '{"n":2}', InvocationType: 'Event' }),
    );
    await host.settleTurns();
    expect([StatusCode, events()]).toEqual([202, [{ n: 2 }]]);
    const other = client().send(new InvokeCommand({ FunctionName: 'other' }));
    await expect(other).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});

it('STS returns the identity of the function, and allows it to assume a role', async () => {
  const client = new STSClient(config());
  expect(await client.send(new GetCallerIdentityCommand({}))).toMatchObject({ Account: '123456789012' });
  const role = { RoleArn: 'arn:aws:iam::210987654321:role/reader', RoleSessionName: 'notes' };
  const { Credentials } = await client.send(new AssumeRoleCommand(role));
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = Credentials ?? {};
  const assumed = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
  const second = new STSClient({ ...config(), credentials: assumed });
  expect(await second.send(new GetCallerIdentityCommand({}))).toMatchObject({ Account: '123456789012' });
});

it.each([
  ['an ARN of a user', 'arn:aws:iam::210987654321:user/reader', 'notes'],
  ['a name', 'reader', 'notes'],
  ['no session', 'arn:aws:iam::210987654321:role/reader', ''],
])('STS rejects %s', async (_name, RoleArn, RoleSessionName) => {
  const refused = new STSClient(config()).send(new AssumeRoleCommand({ RoleArn, RoleSessionName }));
  await expect(refused).rejects.toMatchObject({ name: 'ValidationError', $metadata: { httpStatusCode: 400 } });
});

it('Secrets Manager and Parameter Store have the values of a file that only its owner reads', async () => {
  const secrets = new SecretsManagerClient(config());
  const missing = secrets.send(new GetSecretValueCommand({ SecretId: 'db' }));
  await expect(missing).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
    message: expect.stringContaining('.sallyport/secrets.json'),
  });
  const { ARN } = await secrets.send(new CreateSecretCommand({ Name: 'db', SecretString: 'one' }));
  await secrets.send(new PutSecretValueCommand({ SecretId: 'db', SecretString: 'two' }));
  expect(await secrets.send(new GetSecretValueCommand({ SecretId: ARN }))).toMatchObject({
    Name: 'db',
    SecretString: 'two',
  });
  const parameters = new SSMClient(config());
  await parameters.send(new PutParameterCommand({ Name: '/notes/url', Value: 'https://a', Type: 'String' }));
  expect((await parameters.send(new GetParameterCommand({ Name: '/notes/url' }))).Parameter?.Value).toBe('https://a');
  const { Parameters } = await parameters.send(new GetParametersByPathCommand({ Path: '/notes' }));
  expect(Parameters?.map(({ Name }) => Name)).toEqual(['/notes/url']);
  await expect(parameters.send(new GetParameterCommand({ Name: '/none' }))).rejects.toMatchObject({
    name: 'ParameterNotFound',
  });
  expect(statSync(join(host.config.stateFolder, 'secrets.json')).mode & 0o777).toBe(0o600);
});
