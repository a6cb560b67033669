import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Memory, Step } from './compare.js';

const PLAIN = 'peer-plain';
const FIFO = 'peer.fifo';
const MEBIBYTE = 1_048_576;

type Send = Partial<ConstructorParameters<typeof SendMessageCommand>[0]>;

/** Only the path of a queue's URL is compared: host and account differ between the servers. */
async function create(client: SQSClient, memory: Memory, QueueName: string, Attributes?: Record<string, string>) {
  const { QueueUrl = '', $metadata } = await client.send(
    new CreateQueueCommand({ QueueName, ...(Attributes && { Attributes }) }),
  );
  memory[QueueName] = QueueUrl;
  return { $metadata, name: QueueUrl.split('/').at(-1) };
}

const send =
  (queue: string, MessageBody: string, more: Send = {}) =>
  (client: SQSClient, memory: Memory) =>
    client.send(new SendMessageCommand({ QueueUrl: memory[queue], MessageBody, ...more }));

/** Stores the receipts by the bodies. */
const receive =
  (queue: string, more: Partial<ReceiveMessageCommandInput> = {}) =>
  async (client: SQSClient, memory: Memory) => {
    const answer = await client.send(
      new ReceiveMessageCommand({ QueueUrl: memory[queue], MaxNumberOfMessages: 10, ...more }),
    );
    for (const { Body = '', ReceiptHandle = '' } of answer.Messages ?? []) memory[Body] = ReceiptHandle;
    return answer;
  };

const hide = (queue: string, body: string, VisibilityTimeout: number) => (client: SQSClient, memory: Memory) =>
  client.send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: memory[queue],
      ReceiptHandle: memory[body] ?? 'unknown',
      VisibilityTimeout,
    }),
  );

const remove = (queue: string, body: string) => (client: SQSClient, memory: Memory) =>
  client.send(new DeleteMessageCommand({ QueueUrl: memory[queue], ReceiptHandle: memory[body] ?? 'unknown' }));

const batch = (queue: string, Entries: Array<Record<string, unknown>>) => (client: SQSClient, memory: Memory) =>
  client.send(new SendMessageBatchCommand({ QueueUrl: memory[queue], Entries: Entries as never }));

const purge = (queue: string) => (client: SQSClient, memory: Memory) =>
  client.send(new PurgeQueueCommand({ QueueUrl: memory[queue] }));

const counts = (queue: string) => (client: SQSClient, memory: Memory) =>
  client.send(
    new GetQueueAttributesCommand({
      QueueUrl: memory[queue],
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible', 'VisibilityTimeout'],
    }),
  );

const missing = (client: SQSClient, memory: Memory) => {
  const url = (memory[PLAIN] ?? '').replace(PLAIN, 'peer-missing');
  return client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'lost' }));
};

const STANDARD: readonly Step<SQSClient>[] = [
  { name: 'create', run: (client, memory) => create(client, memory, PLAIN) },
  { name: 'create again', run: (client, memory) => create(client, memory, PLAIN) },
  { name: 'create with a bad name', run: (client, memory) => create(client, memory, 'a b') },
  {
    name: 'send with attributes',
    run: send(PLAIN, 'one', {
      MessageAttributes: {
        text: { DataType: 'String', StringValue: 'é' },
        count: { DataType: 'Number', StringValue: '7' },
        bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([0, 255]) },
      },
    }),
  },
  {
    name: 'receive with attributes',
    run: receive(PLAIN, { MessageAttributeNames: ['All'], MessageSystemAttributeNames: ['ApproximateReceiveCount'] }),
  },
  { name: 'receive what is in flight', run: receive(PLAIN) },
  { name: 'counts with one in flight', run: counts(PLAIN) },
  { name: 'visibility to 0', run: hide(PLAIN, 'one', 0) },
  { name: 'receive again', run: receive(PLAIN, { MessageSystemAttributeNames: ['ApproximateReceiveCount'] }) },
  { name: 'visibility too long', run: hide(PLAIN, 'one', 43_201) },
  { name: 'visibility of an unknown receipt', run: hide(PLAIN, 'nothing', 1) },
  { name: 'delete', run: remove(PLAIN, 'one') },
  { name: 'delete again', run: remove(PLAIN, 'one') },
  { name: 'delete an unknown receipt', run: remove(PLAIN, 'nothing') },
  { name: 'send with delay', run: send(PLAIN, 'late', { DelaySeconds: 1 }) },
  { name: 'receive before the delay ends', run: receive(PLAIN) },
  { name: 'receive with wait', run: receive(PLAIN, { WaitTimeSeconds: 5 }) },
  { name: 'delay too long', run: send(PLAIN, 'never', { DelaySeconds: 901 }) },
  { name: 'receive eleven', run: receive(PLAIN, { MaxNumberOfMessages: 11 }) },
  { name: 'wait too long', run: receive(PLAIN, { WaitTimeSeconds: 21 }) },
  { name: 'empty body', run: send(PLAIN, '') },
  { name: 'largest message', run: send(PLAIN, 'x'.repeat(MEBIBYTE)) },
  { name: 'too large message', run: send(PLAIN, 'x'.repeat(MEBIBYTE + 1)) },
  {
    name: 'too large with attributes',
    run: send(PLAIN, 'x'.repeat(MEBIBYTE), { MessageAttributes: { a: { DataType: 'String', StringValue: 'b' } } }),
  },
  { name: 'bad character', run: send(PLAIN, 'a\u0001b') },
];

const BATCHES: readonly Step<SQSClient>[] = [
  {
    name: 'batch with a bad entry',
    run: batch(PLAIN, [
      { Id: 'good', MessageBody: 'good' },
      { Id: 'bad', MessageBody: 'bad', DelaySeconds: 901 },
    ]),
  },
  { name: 'batch of none', run: batch(PLAIN, []) },
  {
    name: 'batch of eleven',
    run: batch(
      PLAIN,
      Array.from({ length: 11 }, (_, index) => ({ Id: `n${index}`, MessageBody: 'x' })),
    ),
  },
  {
    name: 'batch with one id twice',
    run: batch(PLAIN, [
      { Id: 'same', MessageBody: 'a' },
      { Id: 'same', MessageBody: 'b' },
    ]),
  },
  { name: 'batch with a bad id', run: batch(PLAIN, [{ Id: 'a b', MessageBody: 'a' }]) },
  {
    name: 'batch too large together',
    run: batch(PLAIN, [
      { Id: 'a', MessageBody: 'x'.repeat(MEBIBYTE) },
      { Id: 'b', MessageBody: 'y' },
    ]),
  },
  { name: 'purge', run: purge(PLAIN) },
  { name: 'receive after the purge', run: receive(PLAIN) },
];

const group = (MessageGroupId: string, MessageDeduplicationId: string): Send => ({
  MessageGroupId,
  MessageDeduplicationId,
});

const FIFOS: readonly Step<SQSClient>[] = [
  { name: 'fifo create', run: (client, memory) => create(client, memory, FIFO, { FifoQueue: 'true' }) },
  {
    name: 'fifo name without the attribute',
    run: (client, memory) => create(client, memory, 'peer-other.fifo'),
  },
  { name: 'fifo send', run: send(FIFO, 'a1', group('a', '1')) },
  { name: 'fifo send the duplicate', run: send(FIFO, 'a1 again', group('a', '1')) },
  { name: 'fifo send a second', run: send(FIFO, 'a2', group('a', '2')) },
  { name: 'fifo send another group', run: send(FIFO, 'b1', group('b', '3')) },
  { name: 'fifo without group', run: send(FIFO, 'x', { MessageDeduplicationId: '4' }) },
  { name: 'fifo with delay', run: send(FIFO, 'x', { ...group('d', '5'), DelaySeconds: 1 }) },
  {
    name: 'fifo receive one',
    run: receive(FIFO, { MaxNumberOfMessages: 1, MessageSystemAttributeNames: ['MessageGroupId'] }),
  },
  { name: 'fifo receive past the locked group', run: receive(FIFO, { MaxNumberOfMessages: 1 }) },
  { name: 'fifo receive with all locked', run: receive(FIFO, { MaxNumberOfMessages: 1 }) },
  { name: 'fifo delete', run: remove(FIFO, 'a1') },
  { name: 'fifo receive the next of the group', run: receive(FIFO, { MaxNumberOfMessages: 1 }) },
  { name: 'fifo without deduplication', run: send(FIFO, 'x', { MessageGroupId: 'c' }) },
  {
    name: 'fifo create by content',
    run: (client, memory) =>
      create(client, memory, 'peer-content.fifo', { FifoQueue: 'true', ContentBasedDeduplication: 'true' }),
  },
  { name: 'fifo by content', run: send('peer-content.fifo', 'same', { MessageGroupId: 'a' }) },
  { name: 'fifo by content again', run: send('peer-content.fifo', 'same', { MessageGroupId: 'a' }) },
  { name: 'fifo by content, received once', run: receive('peer-content.fifo') },
];

const MISSING: readonly Step<SQSClient>[] = [
  { name: 'url of a missing queue', run: (client) => client.send(new GetQueueUrlCommand({ QueueName: 'peer-none' })) },
  { name: 'send to a missing queue', run: missing },
];

export const SQS_STEPS: readonly Step<SQSClient>[] = [...STANDARD, ...BATCHES, ...FIFOS, ...MISSING];
